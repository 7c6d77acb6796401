// tcpdump as a source of packets: starts it, waits until it really captures, hands on what it writes, ends it, and says
// what it dropped. Knows its command line and what it prints; reads no packet.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { CliError } from '../cli-error.js';

export interface CaptureOptions {
  /** Default: every interface. */
  readonly interface?: string;
  /** In tcpdump's language; default: the ports of a control plane. */
  readonly filter?: string;
  /** Each packet at once. Else up to a second later, and fewer are lost in a rush. */
  readonly immediate: boolean;
}

/** Ports on which components of Kubernetes, container runtimes' relays and registries listen. */
export const CONTROL_PLANE_PORTS: readonly (number | string)[] = [
  6443,
  6444,
  8080,
  8443,
  9345,
  2379,
  2380,
  2381,
  10250,
  '10255-10259',
  9443,
  3500,
  5000,
  2375,
  2376,
];

export function portsFilter(ports: readonly (number | string)[]): string {
  const all = ports.map((port) => `tcp port${String(port).includes('-') ? 'range' : ''} ${port}`);
  return [...all, ...UNREACHABLE].join(' or ');
}

/** Why nobody answers, where ICMP says it (RFC 792; RFC 4443, 3.1). */
const UNREACHABLE: readonly string[] = ['icmp[icmptype] == icmp-unreach', '(icmp6 and ip6[40] == 1)'];

export class Tcpdump {
  readonly #process: ChildProcessByStdio<null, Readable, Readable>;
  readonly #onExit = (): void => this.stop();
  #said = '';
  #stopped = false;

  /** Starts it; `ready` says when it captures. */
  constructor(options: CaptureOptions) {
    // A process group of its own: Ctrl-C reaches it through us, after what it still has was asked for.
    this.#process = spawn('tcpdump', argumentsOf(options), { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    process.on('exit', this.#onExit);
    this.#process.on('error', () => {});
    this.#process.stderr.on('data', (chunk: Buffer) => {
      if (this.#said.length < SAID_LIMIT) this.#said += chunk.toString('utf8');
    });
  }

  /** Throws Trouble where it does not capture. */
  async ready(): Promise<void> {
    const child = this.#process;
    for (;;) {
      if (/\blistening on /.test(this.#said)) return;
      if (child.pid === undefined) throw new CliError(NOT_INSTALLED);
      if (child.exitCode !== null || child.signalCode !== null) throw new CliError(this.#whyNot());
      const settled = new AbortController();
      const { signal } = settled;
      await Promise.race([once(child.stderr, 'data', { signal }), once(child, 'close', { signal })]).catch(() => {});
      settled.abort();
    }
  }

  /** The capture it writes: pcap with nanoseconds. Ends when it does. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#process.stdout) yield chunk as Uint8Array;
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'close');
    if (!this.#stopped) throw new CliError(this.#whyNot());
  }

  /** Ends it; what it has still comes. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    process.removeListener('exit', this.#onExit);
    // Of a process that never began, kill() reaches the whole group that we are in.
    if (this.#process.pid !== undefined) this.#process.kill('SIGINT');
  }

  /** Packets that the kernel or the interface dropped, as it says at its end. */
  get dropped(): number {
    const counts = [...this.#said.matchAll(/^(\d{1,15}) packets? dropped by (?:kernel|interface)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  #whyNot(): string {
    const line = this.#said
      .split('\n')
      .find((one) => /^tcpdump: (?!.*listening on|verbose output|data link type)/.test(one));
    const why = line?.replace(/^tcpdump: /, '') ?? 'it ended by itself';
    return `tcpdump captures nothing: ${why}${/permission|not permitted/i.test(why) ? '; try sudo' : ''}`;
  }
}

function argumentsOf({
  interface: name = 'any',
  filter = portsFilter(CONTROL_PLANE_PORTS),
  immediate,
}: CaptureOptions): string[] {
  // Packets that are handed on at once lie in slots of the snap length: a shorter one gives more of them. 65,600 bytes
  // hold the longest IP packet with its link header.
  const buffering = immediate ? ['--immediate-mode', '-s', '65600'] : ['-s', '0'];
  return [
    '-i',
    name,
    '-n',
    '-U',
    '-w',
    '-',
    ...buffering,
    '-B',
    BUFFER_KIB,
    '--time-stamp-precision=nano',
    '--',
    filter,
  ];
}

/** KiB of the kernel's buffer: a second of a busy API server. */
const BUFFER_KIB = '65536';
/** Characters kept of what it prints: some lines. */
const SAID_LIMIT = 64 * 1024;
const NOT_INSTALLED =
  'tcpdump is not installed: install it (apt-get install tcpdump, dnf install tcpdump), or give a capture that was made elsewhere';
