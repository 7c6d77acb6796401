// Runs tcpdump as a packet source: starts it, waits until it captures, forwards its output, and reports dropped
// packets.

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { CliError } from '../cli-error.js';
import { isRoot } from '../files/file-access.js';
import { guardian } from '../guardian.js';
import type { OutputFolder } from '../output/output-folder.js';
import { systemProgram } from '../system-program.js';

export interface CaptureOptions {
  /** Default: every interface. */
  readonly interface?: string;
  /** Filter in tcpdump's syntax; default: the ports of a control plane. */
  readonly filter?: string;
  /** Deliver each packet at once. Otherwise up to a second later, with fewer drops under load. */
  readonly immediate: boolean;
  /** Write into files, instead of what `chunks` gives. */
  readonly ring?: RingSize;
}

/** Files that tcpdump writes in turn (-C, -W), for their owner only. */
export interface RingSize {
  readonly folder: OutputFolder;
  /** In that folder; without the number at its end. */
  readonly name: string;
  /** Millions of bytes of each. */
  readonly megabytes: number;
  readonly files: number;
}

/** Ports on which components of Kubernetes, container runtimes' relays and registries listen. */
export const CONTROL_PLANE_PORTS: readonly (number | string)[] = [
  ...[6443, 6444, 8080, 8443, 9345, 2379, 2380, 2381, 10250, 9443, 3500, 5000, 2375, 2376],
  '10255-10259',
];

export function portsFilter(ports: readonly (number | string)[]): string {
  const all = ports.map((port) => `tcp port${String(port).includes('-') ? 'range' : ''} ${port}`);
  return [...all, ...UNREACHABLE].join(' or ');
}

/** ICMP errors that explain failed connections (RFC 792; RFC 4443, 3.1). */
const UNREACHABLE: readonly string[] = ['icmp[icmptype] == icmp-unreach', '(icmp6 and ip6[40] == 1)'];

export class Tcpdump {
  readonly #process: ChildProcessByStdio<null, Readable, Readable>;
  readonly #onExit = (): void => this.stop();
  #errorOutput = '';
  #stopped = false;
  readonly #guardian: ChildProcess | undefined;

  /** Starts tcpdump; `ready` resolves when it captures. */
  constructor(options: CaptureOptions) {
    const program = systemProgram('tcpdump');
    const folder = options.ring?.folder.descriptor ?? 'ignore';
    // Its own process group: Ctrl-C is forwarded only after its buffered packets were requested.
    const mask = process.umask(OTHERS);
    this.#process = spawn(program, argumentsOf(options), {
      stdio: ['ignore', 'pipe', 'pipe', folder],
      detached: true,
    }) as ChildProcessByStdio<null, Readable, Readable>;
    process.umask(mask);
    const { pid } = this.#process;
    // What writes into a pipe ends with its reader.
    if (options.ring !== undefined && pid !== undefined) this.#guardian = guardian(GUARDIAN, [`${pid}`]);
    process.on('exit', this.#onExit);
    this.#process.on('error', () => {});
    this.#process.stderr.on('data', (chunk: Buffer) => {
      if (this.#errorOutput.length < ERROR_OUTPUT_LIMIT) this.#errorOutput += chunk.toString('utf8');
    });
  }

  /** Throws CliError if it does not capture. */
  async ready(): Promise<void> {
    const child = this.#process;
    for (;;) {
      if (/\blistening on /.test(this.#errorOutput)) return;
      if (child.pid === undefined) throw new CliError(NOT_INSTALLED);
      if (child.exitCode !== null || child.signalCode !== null) throw new CliError(this.#whyNot());
      const settled = new AbortController();
      const { signal } = settled;
      await Promise.race([once(child.stderr, 'data', { signal }), once(child, 'close', { signal })]).catch(() => {});
      settled.abort();
    }
  }

  /** Its output: pcap with nanoseconds, until it ends. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#process.stdout) yield chunk as Uint8Array;
    await this.ended();
  }

  /** Throws CliError where it ends by itself. */
  async ended(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'close');
    if (!this.#stopped) throw new CliError(this.#whyNot());
  }

  /** Ends tcpdump; its remaining packets are still delivered. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    process.removeListener('exit', this.#onExit);
    // For a process that never started, kill() would signal this program's own process group.
    if (this.#process.pid !== undefined) this.#process.kill('SIGINT');
    this.#guardian?.stdin?.destroy();
  }

  /** Packets dropped by the kernel or the interface, reported when it ends. */
  get dropped(): number {
    const counts = [...this.#errorOutput.matchAll(/^(\d{1,15}) packets? dropped by (?:kernel|interface)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  #whyNot(): string {
    const line = this.#errorOutput
      .split('\n')
      .find((one) => /^tcpdump: (?!.*listening on|verbose output|data link type)/.test(one));
    const why = line?.replace(/^tcpdump: /, '').replace(`/proc/self/fd/${FOLDER}/`, '') ?? 'it ended by itself';
    return `tcpdump captures nothing: ${why}${/permission|not permitted/i.test(why) ? '; try sudo' : ''}`;
  }
}

function argumentsOf({
  interface: name = 'any',
  filter = portsFilter(CONTROL_PLANE_PORTS),
  immediate,
  ring,
}: CaptureOptions): string[] {
  // Packets that are handed on at once lie in slots of the snap length: a shorter one gives more of them. 65,600 bytes
  // hold the longest IP packet with its link header.
  const buffering = immediate ? ['--immediate-mode', '-s', '65600'] : ['-s', '0'];
  // It would else become a user of its own, who may write no file here.
  const user = isRoot() ? ['-Z', 'root'] : [];
  const files = ring === undefined ? [] : ['-C', `${ring.megabytes}`, '-W', `${ring.files}`, ...user];
  const written = ring?.folder.entry(ring.name, FOLDER) ?? '-';
  return ['-i', name, '-n', '-U', '-w', written, ...files, ...buffering, '-B', BUFFER_KIB, NANOSECONDS, '--', filter];
}

const NANOSECONDS = '--time-stamp-precision=nano';
/** tcpdump's descriptor of a ring's folder: whatever the path of the folder leads to meanwhile, its files are made in there. */
const FOLDER = 3;
/** Permissions of other users, which nothing that it writes has. */
const OTHERS = 0o077;
/** Ends the process with this number, if it is still tcpdump. */
const GUARDIAN = '[ "$(cat "/proc/$1/comm")" = tcpdump ] && kill -INT "$1"';
/** KiB of the kernel's buffer: a second of a busy API server. */
const BUFFER_KIB = '65536';
/** Limit: characters of tcpdump's standard error that are kept: some lines. */
const ERROR_OUTPUT_LIMIT = 64 * 1024;
const NOT_INSTALLED =
  'tcpdump is not installed: install it (apt-get install tcpdump, dnf install tcpdump), or give a capture that was made elsewhere';
