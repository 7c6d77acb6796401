// Says counts and sizes to readers.

/** `1 request`, `3 requests`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The one form of sizes, in powers of ten as Wireshark's: `812 B`, `1.3 kB`, `46 MB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 999.5 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit > 0 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
