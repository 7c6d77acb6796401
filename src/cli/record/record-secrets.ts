// Collects TLS secrets for a recording from probes, from the command's own key log, and from named key logs, and
// keeps only those of recorded connections.

import { accessSync, constants, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { COMPONENTS, counted, ExchangeStage, framesOf, type OpenConnectionCount, TcpStage } from '../../index.js';
import { CliError } from '../cli-error.js';
import { readCapture } from '../input/input.js';
import { KeyLogTail } from '../keys/key-log-tail.js';
import { readKeyLogs } from '../keys/key-logs.js';
import { describe, type KeyProbeSettings, KeyProbes } from '../keys/key-probes.js';
import { COMMAND_READ } from '../keys/key-targets.js';
import { Reports } from '../output/reports.js';
import { pause } from './record-idle.js';

export interface SecretsOptions {
  readonly keys?: true;
  readonly keepKeys?: true;
  readonly keylog?: readonly string[];
  readonly quiet?: boolean;
  readonly openConnections?: number;
}

export class RecordedSecrets {
  /** Emits the secrets of all three sources as they arrive: the named key logs, the command's own key log, the probes. */
  readonly keyLogTail: KeyLogTail;
  /** Environment of the command. */
  readonly environment: NodeJS.ProcessEnv;
  readonly #options: SecretsOptions;
  readonly #wanted: boolean;
  readonly #command: readonly string[];
  /** Path of the private key log for the secrets that probes report. */
  readonly #probedKeyLog: string;
  /** Path of the key log that the command writes: that of SSLKEYLOGFILE, which may have secrets of other runs. */
  readonly #commandKeyLog: string;
  readonly #probedLines: string[] = [];
  readonly #reports: Reports;
  #probes: KeyProbes | null = null;
  #lastCounts: ReadonlyMap<string, OpenConnectionCount> = new Map();

  /** @param own a folder that only its owner can read. */
  constructor(command: readonly string[], options: SecretsOptions, own: string) {
    this.#options = options;
    this.#reports = new Reports(options.quiet === true);
    this.#command = command;
    this.#probedKeyLog = join(own, 'keys.log');
    const inherited = process.env['SSLKEYLOGFILE'];
    this.#commandKeyLog = inherited === undefined || inherited === '' ? `${this.#probedKeyLog}.written` : inherited;
    this.#wanted = options.keys === true || options.keepKeys === true;
    this.environment = this.#wanted ? { ...process.env, SSLKEYLOGFILE: this.#commandKeyLog } : process.env;
    this.keyLogTail = new KeyLogTail([...(options.keylog ?? []), ...(this.#wanted ? [this.#commandKeyLog] : [])]);
  }

  start(): void {
    if (!this.#wanted) return;
    try {
      const program = executableNamed(this.#command[0]);
      this.#probes = probesFor(program, this.#reports, { openBound: this.#options.openConnections, isCapturing: true });
      this.#probes.start((lines) => this.#add(lines));
      const { targets } = this.#probes;
      this.#reports.say(targets.length === 0 ? COMMAND_ONLY : `listening to ${targets.map(describe).join(', ')}`);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      this.#reports.say(`${error.message}; recording with what the command itself writes to SSLKEYLOGFILE`);
    }
  }

  /**
   * Waits until probes have observed a direction of every open connection, until the bound is over, or until `stopped`. It does not wait for connections
   * of etcd, because its clients keep some of them idle. Probes on idle connections stay: they report when the command makes these active.
   */
  async waitForOpenConnections(stopped: () => boolean): Promise<void> {
    const probes = this.#probes;
    if (probes === null || probes.isWaitOver) return;
    const bound = this.#options.openConnections ?? SILENT_MS;
    const deadline = Date.now() + bound;
    this.#reports.say(
      `waiting until ${counted(probes.count.total, 'connection')} that ${probes.count.total === 1 ? 'is' : 'are'} open already can be read, ${bound / 1000} s at most (--open-connections 5s: less, 0s: not at all)`,
    );
    while (!probes.isWaitOver && Date.now() < deadline && !stopped()) await pause(LOOK_MS);
    const { observed, total } = probes.count;
    if (observed < total && !stopped())
      this.#reports.say(
        `${total - observed} open connections did not carry data in both directions yet; they are read when they do`,
      );
  }

  /** Number of connections open before the recording whose secrets are known for both directions, by component. */
  get countsByName(): ReadonlyMap<string, OpenConnectionCount> {
    return this.#probes?.countsByName ?? this.#lastCounts;
  }

  stop(): void {
    const probes = this.#probes;
    if (probes === null) return;
    this.#add(probes.stop());
    this.#lastCounts = probes.countsByName;
    this.#probes = null;
  }

  /**
   * The secrets that decrypt connections in a capture, and no others of the key logs.
   *
   * @param capture file of the recording.
   * @returns text of an NSS key log. Throws CliError.
   */
  async usedBy(capture: string): Promise<string> {
    const keyLogs = [this.#probedText, ...readKeyLogs(this.#othersKeyLogs.filter((path) => existsSync(path)))];
    const connections = new ExchangeStage({ keyLogs }, IGNORE_EXCHANGES);
    const streams = new TcpStage({}, connections);
    for await (const inputs of (await framesOf([readCapture(capture)])) ?? [])
      for (const input of inputs) streams.feed(input);
    streams.end();
    connections.end();
    return connections.usedSecrets;
  }

  /** Writes secrets that are in no named file to a private file, if there are any. */
  asFile(): string[] {
    const written = this.#wanted && existsSync(this.#commandKeyLog) ? [this.#commandKeyLog] : [];
    if (this.#probedText === '') return written;
    writeFileSync(this.#probedKeyLog, this.#probedText, { mode: 0o600, flag: 'wx' });
    return [this.#probedKeyLog, ...written];
  }

  get #probedText(): string {
    return this.#probedLines.map((line) => `${line}\n`).join('');
  }

  /** Paths of the key logs that others write: the named ones, and the command's own. */
  get #othersKeyLogs(): string[] {
    return [...new Set([...(this.#options.keylog ?? []), ...(this.#wanted ? [this.#commandKeyLog] : [])])];
  }

  #add(lines: readonly string[]): void {
    this.#probedLines.push(...lines);
    this.keyLogTail.add(lines);
  }
}

/** Programs to probe: the command if it is a Go program, and every component that runs or that the command starts. */
function probesFor(program: string | null, reports: Reports, settings: KeyProbeSettings): KeyProbes {
  if (program !== null) {
    try {
      return new KeyProbes({ binary: [program], component: COMPONENTS }, reports, settings);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
  return new KeyProbes({}, reports, { ...settings, mayComeLater: true });
}

function executableNamed(name: string): string | null {
  const places = name.includes(sep)
    ? [name]
    : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return (
    places.find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }) ?? null
  );
}

/**
 * ms. A connection that is idle for longer sends no pings: clients of the API server send one after 30 s without a frame
 * (apimachinery/pkg/util/net/http.go, ReadIdleTimeout), those of etcd too (apiserver/pkg/storage/storagebackend/factory/etcd3.go,
 * keepaliveTime).
 */
const SILENT_MS = 35_000;
/** Where neither a component nor a Go program is to be probed yet. */
const COMMAND_ONLY = `no component runs here yet: ${COMMAND_READ}`;
/** Interval between checks of open connections, ms. */
const LOOK_MS = 50;
/** Takes the exchanges of the capture and ignores them, because only the used secrets are needed. */
const IGNORE_EXCHANGES = { item: () => {}, watermark: () => {} };
