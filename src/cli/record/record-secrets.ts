// TLS secrets of a recording: from probes, from what the command writes itself, and from key logs that are named. Which of
// them belong to the recorded connections is the library's to say; no other may stay in what is recorded.

import { accessSync, constants, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { COMPONENTS, ExchangeStage, framesOf, type OpenConnectionCount, TcpStage } from '../../index.js';
import { CliError } from '../cli-error.js';
import { readCapture } from '../input/input.js';
import { KeyLogTail } from '../keys/key-log-tail.js';
import { readKeyLogs } from '../keys/key-logs.js';
import { describe, type KeyProbeSettings, KeyProbes } from '../keys/key-probes.js';
import { printError } from '../output/print-error.js';
import { pause } from './record-idle.js';

export interface SecretsOptions {
  readonly keys?: true;
  readonly keepKeys?: true;
  readonly keylog?: readonly string[];
  readonly quiet?: boolean;
  readonly openConnections?: number;
}

export class RecordedSecrets {
  /** All of them, as they come. */
  readonly growing: KeyLogTail;
  /** For the command. */
  readonly environment: NodeJS.ProcessEnv;
  readonly #options: SecretsOptions;
  readonly #wanted: boolean;
  readonly #command: readonly string[];
  readonly #file: string;
  /** Where the command writes its own: what the environment names, and may hold those of other runs too. */
  readonly #written: string;
  readonly #lines: string[] = [];
  #probes: KeyProbes | null = null;
  #heard: ReadonlyMap<string, OpenConnectionCount> = new Map();

  /** @param own a folder that only its owner can read. */
  constructor(command: readonly string[], options: SecretsOptions, own: string) {
    this.#options = options;
    this.#command = command;
    this.#file = join(own, 'keys.log');
    const inherited = process.env['SSLKEYLOGFILE'];
    this.#written = inherited === undefined || inherited === '' ? `${this.#file}.written` : inherited;
    this.#wanted = options.keys === true || options.keepKeys === true;
    this.environment = this.#wanted ? { ...process.env, SSLKEYLOGFILE: this.#written } : process.env;
    this.growing = new KeyLogTail([...(options.keylog ?? []), ...(this.#wanted ? [this.#written] : [])]);
  }

  start(): void {
    if (!this.#wanted) return;
    const said = (text: string): void => {
      if (this.#options.quiet !== true) printError(text);
    };
    try {
      const program = executableNamed(this.#command[0]);
      this.#probes = probesFor(program, said, { openBound: this.#options.openConnections });
      this.#probes.start((lines) => this.#add(lines));
      const { targets } = this.#probes;
      said(`listening to ${targets.length === 0 ? 'components that start' : targets.map(describe).join(', ')}`);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      said(`${error.message}; recording with what the command itself writes to SSLKEYLOGFILE`);
    }
  }

  /**
   * Waits until the connections that are open now were heard, at most for the bound, or until `stopped` says so. Those that said
   * nothing are listened to on: they are heard when the command makes them speak.
   */
  async openHeard(stopped: () => boolean): Promise<void> {
    const deadline = Date.now() + (this.#options.openConnections ?? SILENT_MS);
    while (this.#probes?.waitsForOpen === true && Date.now() < deadline && !stopped()) await pause(LOOK_MS);
    const { observed, total } = this.#probes?.heard ?? { observed: 0, total: 0 };
    if (observed < total && !stopped() && this.#options.quiet !== true)
      printError(
        `${total - observed} open connections did not carry data in both directions yet; they are read when they do`,
      );
  }

  /** tcpdump captures from now on. */
  captureBegins(): void {
    this.#probes?.captureBegins();
  }

  /** How many connections that were open before the recording were heard in both directions, by component. */
  get heardByName(): ReadonlyMap<string, OpenConnectionCount> {
    return this.#probes?.heardByName ?? this.#heard;
  }

  stop(): void {
    const probes = this.#probes;
    if (probes === null) return;
    this.#add(probes.stop());
    this.#heard = probes.heardByName;
    this.#probes = null;
  }

  /**
   * The secrets of the connections in a capture: what opens them and nothing else, whatever else the key logs hold.
   *
   * @param capture file of the recording.
   * @returns text of an NSS key log. Throws Trouble.
   */
  async of(capture: string): Promise<string> {
    const keyLogs = [this.#probed, ...readKeyLogs(this.#logs.filter((path) => existsSync(path)))];
    const connections = new ExchangeStage({ keyLogs }, DEAF);
    const streams = new TcpStage({}, connections);
    for await (const inputs of (await framesOf([readCapture(capture)])) ?? [])
      for (const input of inputs) streams.feed(input);
    streams.end();
    connections.end();
    return connections.usedSecrets;
  }

  /** What was not in a file that the user named, as a file that only its owner can read; none where there is nothing. */
  asFile(): string[] {
    const written = this.#wanted && existsSync(this.#written) ? [this.#written] : [];
    if (this.#probed === '') return written;
    writeFileSync(this.#file, this.#probed, { mode: 0o600, flag: 'wx' });
    return [this.#file, ...written];
  }

  get #probed(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  get #logs(): string[] {
    return [...new Set([...(this.#options.keylog ?? []), ...(this.#wanted ? [this.#written] : [])])];
  }

  #add(lines: readonly string[]): void {
    this.#lines.push(...lines);
    this.growing.add(lines);
  }
}

/** The command itself where it is a Go program, and every component that runs here, or that the command starts. */
function probesFor(program: string | null, said: (text: string) => void, settings: KeyProbeSettings): KeyProbes {
  if (program !== null) {
    try {
      return new KeyProbes({ binary: [program], component: COMPONENTS }, said, settings);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
  return new KeyProbes({}, said, { ...settings, mayComeLater: true });
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
 * ms. A connection that was silent for longer sends no pings: clients of the API server send one after 30 s without a frame
 * (apimachinery/pkg/util/net/http.go, ReadIdleTimeout), those of etcd too (apiserver/pkg/storage/storagebackend/factory/etcd3.go,
 * keepaliveTime).
 */
const SILENT_MS = 35_000;
/** Between two looks whether all open connections were heard, ms. */
const LOOK_MS = 50;
/** Only which secrets were used is wanted. */
const DEAF = { item: () => {}, watermark: () => {}, firstFrame: () => {}, hasNanoseconds: () => {} };
