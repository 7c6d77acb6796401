// Records into a ring of files until it is ended, with the TLS secrets that open them beside them: a flight recorder.

import { CliError } from '../cli-error.js';
import { Ending } from '../ending.js';
import { CONTROL_PLANE_PORTS, portsFilter, Tcpdump } from '../input/tcpdump.js';
import { describe, KeyProbes } from '../keys/key-probes.js';
import { Reports } from '../output/reports.js';
import { RingFiles } from './ring-files.js';
import { ringFolder } from './ring-folder.js';

export interface RingOptions {
  readonly ring: string;
  /** Bytes of all files together. */
  readonly size?: number;
  readonly interface?: string;
  readonly filter?: string;
  readonly keys?: true;
  readonly openConnections?: number;
  readonly quiet?: true;
}

/** @returns the exit status of the signal that ended it. */
export async function recordRing(options: RingOptions): Promise<number> {
  const { ring, size = DEFAULT_SIZE } = options;
  if (size < SMALLEST) throw new CliError(`--size: a ring has ${SMALLEST / 1e6}M at least`);
  const files = new RingFiles(ringFolder(ring), size);
  const reports = new Reports(options.quiet === true);
  const ending = new Ending();
  let tcpdump: Tcpdump | null = null;
  let probes: KeyProbes | null = null;
  let timer: NodeJS.Timeout | undefined;
  try {
    files.begin();
    tcpdump = new Tcpdump({
      interface: options.interface,
      filter: options.filter ?? portsFilter(CONTROL_PLANE_PORTS),
      immediate: false,
      ring: files.tcpdump,
    });
    await tcpdump.ready();
    if (options.keys === true) {
      const { openConnections: openBound } = options;
      const { lastReports } = files;
      probes = new KeyProbes({}, reports, { mayComeLater: true, openBound, isCapturing: true, lastReports });
      probes.start((lines) => files.write(lines));
      const { targets } = probes;
      reports.say(`listening to ${targets.length === 0 ? 'components that start' : targets.map(describe).join(', ')}`);
    }
    const { megabytes, files: count } = files.tcpdump;
    reports.say(`recording into ${count} files of ${megabytes} MB; kubeseq diagram ${ring} --since -10m reads them`);
    let lastProbed = Date.now();
    let hasRoom = true;
    timer = setInterval(() => {
      // A new file begins with the secrets of known open connections, because the older files will be removed.
      const hasNewFile = files.followTcpdump(() => probes?.linesForNewFile() ?? []);
      if (hasRoom && files.leftOut > 0)
        reports.say('secrets and HPACK tables have no room in the ring: give more --size');
      hasRoom = files.leftOut === 0;
      if (!hasNewFile || Date.now() - lastProbed < PROBE_AGAIN_MS) return;
      lastProbed = Date.now();
      probes?.probeUnknownAgain();
    }, LOOK_MS);
    await Promise.race([ending.interrupt, tcpdump.ended()]);
  } finally {
    clearInterval(timer);
    tcpdump?.stop();
    files.write(probes?.stop() ?? []);
    files.close();
    ending.dispose();
  }
  await tcpdump.ended();
  if (files.leftOut > 0)
    reports.say(`${files.leftOut} lines of secrets and HPACK tables had no room; give more --size`);
  if (tcpdump.dropped > 0) reports.say(`tcpdump dropped ${tcpdump.dropped} packets`);
  return ending.status;
}

/** A ring runs no command and draws nothing. @param options what the user gave. Throws CliError for what it has no use for. */
export function checkRing(command: readonly string[], given: readonly string[]): void {
  if (command.length > 0) throw new CliError('--ring records until it is ended: it runs no command');
  const other = given.find((name) => !USED.includes(name));
  if (other !== undefined) throw new CliError(`--ring only records: ${other} is for commands that read captures`);
}

const USED = ['--ring', '--size', '--interface', '--filter', '--keys', '--open-connections', '--quiet'];
const DEFAULT_SIZE = 2_000_000_000;
/** Limit in bytes: the smallest ring, of three files of tcpdump's smallest. */
const SMALLEST = 4_000_000;
/** ms at least until open connections whose secrets are not known are probed again. */
const PROBE_AGAIN_MS = 5000;
/** Interval between looks at the files, ms. */
const LOOK_MS = 100;
