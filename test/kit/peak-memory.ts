// Measures the most memory that a started program had resident.

/**
 * An expression in JavaScript for a started program, `fs` in its scope: KiB. Linux begins getrusage's peak with the memory of the
 * process that started the program (setmax_mm_hiwater_rss in fs/exec.c).
 */
export const PEAK_KIB = `(fs.existsSync('/proc/self/status')
  ? Number(/VmHWM:\\s*(\\d+) kB/.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1])
  : process.resourceUsage().maxRSS)`;
