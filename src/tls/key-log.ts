// Stores TLS secrets of NSS key logs (SSLKEYLOGFILE, draft-ietf-tls-keylogfile) by client random, and those of observed open
// connections by their endpoints.

import { dictionary } from '../core/collections/dictionary.js';
import { type Notice, notice } from '../core/notice.js';
import {
  addressText,
  type HandshakeUser,
  handshakeLine,
  type OpenConnection,
  openConnectionLine,
  parseHandshakeUser,
  parseOpenConnection,
} from '../core/open-connection.js';
import { counted } from '../core/quantity.js';
import type { Connection } from '../tcp/stream-event.js';
import { HeaderTableStore } from './header-tables.js';

/** Secrets of one session, in lower-case hexadecimal; null if the key log has no such line. */
export interface SessionSecrets {
  /** The client random, 64 hexadecimal digits; for an observed connection another unique name. */
  readonly id: string;
  /** 1, 2, 3 … in order of appearance. */
  readonly order: number;
  /** Whether a connection with a captured handshake, or an opened mid-session one, uses them. */
  used: boolean;
  /** TLS 1.2 master secret. */
  master: string | null;
  clientEarly: string | null;
  clientHandshake: string | null;
  serverHandshake: string | null;
  clientTraffic: string | null;
  serverTraffic: string | null;
  /** The open connection on which a process was observed using them; null for secrets of a handshake. */
  readonly observed: OpenConnection | null;
  /** The processes that had the handshake; null: they are not known. */
  users: Required<HandshakeUser> | null;
}

export function secretStore(): SecretStore {
  return new SecretStore();
}

export class SecretStore {
  /** Grows with every line that has new secrets, so that waiting connections can compare it. */
  version = 0;
  /** Whether there is a key log, whatever it contains. */
  given = false;
  /** No more secrets will come, so no connection has to wait. */
  final = false;
  readonly #sessions = new Map<string, SessionSecrets>();
  readonly #ordered: SessionSecrets[] = [];
  /** HPACK tables that were observed beside the secrets of open connections. */
  readonly headerTables = new HeaderTableStore();
  readonly #observed: SessionSecrets[] = [];
  readonly #observedOn = new Map<string, SessionSecrets>();
  /** Lines of open connections: each file of a ring has those of its time. */
  readonly #observedLines = new Set<string>();
  readonly #partial = new Map<string, string>();
  #malformed = 0;
  #overLimit = 0;
  #privateKeys = 0;
  #isInKey = false;
  /** A line of secrets, of which the rest may follow; empty: none. */
  #broken = '';
  /** It is no secret without its rest. */
  #isOpen = false;

  /** Number of sessions. */
  get size(): number {
    return this.#ordered.length;
  }

  /**
   * Reads more of a key log. The last line may be cut and is continued by the next text of the same `source`, so a file can be read
   * as it grows and several can be read side by side.
   */
  add(text: string, source = ''): void {
    this.given = true;
    const whole = (this.#partial.get(source) ?? '') + text;
    let start = 0;
    for (let end = whole.indexOf('\n'); end !== -1; end = whole.indexOf('\n', start)) {
      this.#line(whole.slice(start, end));
      start = end + 1;
    }
    // One character more than the limit is enough to recognise a line that is too long.
    this.#partial.set(source, whole.slice(start, start + LINE_LIMIT + 1));
  }

  /** Ends the key logs: reads last lines without line end. @returns notices of the lines that were skipped since the last call. */
  end(): readonly Notice[] {
    for (const rest of this.#partial.values()) this.#line(rest);
    this.#partial.clear();
    this.#giveUp();
    const notices: Notice[] = [];
    if (this.#malformed > 0) notices.push(notice('keys.malformed', counted(this.#malformed, 'line')));
    const detail = `${counted(this.#overLimit, 'line')} beyond the secrets of ${SESSION_LIMIT} client randoms`;
    if (this.#overLimit > 0) notices.push(notice('limit.secrets', detail));
    if (this.#privateKeys > 0) notices.push(notice('keys.private-key', counted(this.#privateKeys, 'private key')));
    this.#malformed = 0;
    this.#overLimit = 0;
    this.#privateKeys = 0;
    return notices;
  }

  find(clientRandom: string): SessionSecrets | undefined {
    return this.#sessions.get(clientRandom);
  }

  /** Handshakes with TLS 1.3 traffic secrets and an `order` above `after`: unused ones first, then nearest to `near`, else newest. */
  candidates(after = 0, near = Number.POSITIVE_INFINITY): SessionSecrets[] {
    const unused: SessionSecrets[] = [];
    const used: SessionSecrets[] = [];
    const middle = Math.min(near, this.#ordered.length) - 1;
    let [older, newer] = [middle, Math.max(middle + 1, after)];
    while (older >= after || newer < this.#ordered.length) {
      const takesOlder = older >= after && (newer >= this.#ordered.length || middle - older <= newer - middle);
      const session = this.#ordered[takesOlder ? older-- : newer++];
      if (session.observed !== null || (session.clientTraffic === null && session.serverTraffic === null)) continue;
      (session.used ? used : unused).push(session);
    }
    return [...unused, ...used];
  }

  /** The newest secrets that were observed between these endpoints, in either direction. */
  observedOn({ client, server }: Connection): SessionSecrets | undefined {
    return this.#observedOn.get(`${addressText(client)} ${addressText(server)}`);
  }

  /** Observed secrets with an `order` above `after`, unused ones first. */
  observed(after = 0): SessionSecrets[] {
    const found = this.#observed.filter(({ order }) => order > after);
    return [...found.filter(({ used }) => !used), ...found.filter(({ used }) => used)];
  }

  /** Text of an NSS key log with the used secrets only. */
  usedLines(): string {
    const labels = Object.entries(FIELDS) as [string, SecretField][];
    const linesOf = (session: SessionSecrets): string[] =>
      session.observed !== null
        ? [`${openConnectionLine(session.observed)}\n`]
        : labels
            .flatMap(([label, field]) =>
              session[field] === null ? [] : [`${label} ${session.id} ${session[field]}\n`],
            )
            .concat(session.users === null ? [] : `${handshakeLine(session.users)}\n`);
    const secrets = this.#ordered.flatMap((session) => (session.used ? linesOf(session) : []));
    return [...secrets, ...this.headerTables.usedLines()].join('');
  }

  #line(raw: string): void {
    // PowerShell writes UTF-16, of which a reader of bytes sees a zero beside each letter.
    const line = raw.replaceAll('\0', '').trim();
    if (line === '') return;
    if (this.#isPrivateKey(line)) return;
    if (line.startsWith('#')) {
      this.#comment(line);
      return;
    }
    const match = line.length <= LINE_LIMIT ? LINE.exec(line) : null;
    const field = match === null ? undefined : FIELDS[match[1]];
    if (match === null || field === undefined) {
      if (!IGNORED.test(line) && !this.#inside(line)) this.#malformed += 1;
      return;
    }
    this.#giveUp();
    this.#broken = line;
    this.#isOpen = !this.#secret(field, match[2], match[3]);
  }

  /** Reads a line that has something before its secrets or behind them, or was broken in two where it was pasted. */
  #inside(line: string): boolean {
    if (line.length > LINE_LIMIT) return false;
    const isRest = this.#broken !== '' && HEX.test(line) && this.#broken.length + line.length <= BROKEN_LIMIT;
    const whole = isRest ? `${this.#broken}${line}` : line;
    if (!isRest) this.#giveUp();
    let isFound = isRest;
    for (const { 1: label, 2: hex, index } of whole.matchAll(LABELLED)) {
      const digits = hex.replaceAll(/\s/g, '');
      isFound = true;
      this.#broken = whole.slice(index);
      this.#isOpen = !this.#secret(FIELDS[label] as SecretField, digits.slice(0, 64), digits.slice(64));
    }
    return isFound;
  }

  /** The rest of a line did not follow. */
  #giveUp(): void {
    if (this.#isOpen) this.#malformed += 1;
    this.#isOpen = false;
    this.#broken = '';
  }

  /** @returns false: it is too short, or too long. */
  #secret(field: SecretField, clientRandom: string, digits: string): boolean {
    const secret = digits.toLowerCase();
    if (!(secret.length === 96 || (secret.length === 64 && field !== 'master'))) return false;
    const session = this.#session(clientRandom.toLowerCase());
    if (session === undefined) {
      this.#overLimit += 1;
    } else if (session[field] !== secret) {
      session[field] = secret;
      this.version += 1;
    }
    return true;
  }

  /** The lines of a key in PEM (RFC 7468), which people take for the secrets of sessions. */
  #isPrivateKey(line: string): boolean {
    if (PRIVATE_KEY.test(line)) this.#privateKeys += 1;
    this.#isInKey = PRIVATE_KEY.test(line) || (this.#isInKey && PEM.test(line));
    return this.#isInKey || END_OF_KEY.test(line);
  }

  /** Reads the lines of kubeseq, which are comments to other readers. */
  #comment(line: string): void {
    if (line.length > LINE_LIMIT) return;
    const users = parseHandshakeUser(line);
    const used = users === null ? undefined : this.#sessions.get(users.clientRandom);
    if (used !== undefined) used.users = users;
    const observed = parseOpenConnection(line);
    const table = observed === null ? this.headerTables.add(line) : 'other kind';
    if (observed === undefined || table === 'malformed') this.#malformed += 1;
    if (observed == null || this.#observedLines.has(line)) return;
    if (this.#ordered.length >= SESSION_LIMIT) {
      this.#overLimit += 1;
      return;
    }
    this.#observedLines.add(line);
    const session = this.#newSession(`open connection ${this.#ordered.length + 1}`, observed);
    const [client, server] =
      observed.side === 'client' ? [observed.write, observed.read] : [observed.read, observed.write];
    if (observed.version === '1.3') {
      session.clientTraffic = client?.secret ?? null;
      session.serverTraffic = server?.secret ?? null;
    }
    this.#observed.push(session);
    const { local, remote } = observed;
    if (local !== null && remote !== null) {
      this.#observedOn.set(`${addressText(local)} ${addressText(remote)}`, session);
      this.#observedOn.set(`${addressText(remote)} ${addressText(local)}`, session);
    }
    this.version += 1;
  }

  #session(clientRandom: string): SessionSecrets | undefined {
    const known = this.#sessions.get(clientRandom);
    if (known !== undefined) return known;
    if (this.#ordered.length >= SESSION_LIMIT) return undefined;
    const session = this.#newSession(clientRandom, null);
    this.#sessions.set(clientRandom, session);
    return session;
  }

  #newSession(id: string, observed: OpenConnection | null): SessionSecrets {
    const session: SessionSecrets = {
      id,
      order: this.#ordered.length + 1,
      used: false,
      master: null,
      clientEarly: null,
      clientHandshake: null,
      serverHandshake: null,
      clientTraffic: null,
      serverTraffic: null,
      observed,
      users: null,
    };
    this.#ordered.push(session);
    return session;
  }
}

type SecretField = 'master' | 'clientEarly' | 'clientHandshake' | 'serverHandshake' | 'clientTraffic' | 'serverTraffic';

const FIELDS: Readonly<Record<string, SecretField | undefined>> = dictionary({
  CLIENT_RANDOM: 'master',
  CLIENT_EARLY_TRAFFIC_SECRET: 'clientEarly',
  CLIENT_HANDSHAKE_TRAFFIC_SECRET: 'clientHandshake',
  SERVER_HANDSHAKE_TRAFFIC_SECRET: 'serverHandshake',
  CLIENT_TRAFFIC_SECRET_0: 'clientTraffic',
  SERVER_TRAFFIC_SECRET_0: 'serverTraffic',
});

const LINE = /^([A-Z0-9_]+) ([0-9a-fA-F]{64}) ([0-9a-fA-F]+)$/;

/** Secrets among other words: a time, the stream of a container's log, JSON; with blanks and line breaks in their digits. */
const LABELLED = new RegExp(
  `(?<![A-Z0-9_])(${Object.keys(FIELDS).join('|')})((?:\\s+[0-9a-fA-F]+)+)(?![0-9a-zA-Z])`,
  'g',
);
const HEX = /^[0-9a-fA-F\s]+$/;
/** RFC 7468, section 10 and 13; OpenSSL's older ones. */
const PRIVATE_KEY = /^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----$/;
const END_OF_KEY = /^-----END (?:[A-Z]+ )?PRIVATE KEY-----$/;
const PEM = /^[A-Za-z0-9+/=]{1,76}$|^[A-Za-z-]+: /;
/** Limit: characters of a line of secrets that was broken. */
const BROKEN_LIMIT = 1024;

/**
 * Labels that are not needed: later traffic secrets are computed (OpenSSL 3 writes N for their number), and RSA lines have no client
 * random.
 */
const IGNORED =
  /^(RSA|PMS_CLIENT_RANDOM|EXPORTER_SECRET|EARLY_EXPORTER_SECRET|EARLY_EXPORTER_MASTER_SECRET|ECH_SECRET|ECH_CONFIG|(CLIENT|SERVER)_TRAFFIC_SECRET_([1-9][0-9]*|N)) [0-9a-fA-F]+ [0-9a-fA-F]+$/;

/**
 * Limit: characters of one line of a key log: lines of secrets have up to 194, RSA lines of 4096-bit keys some 2,000, lines of an HPACK
 * table of 4 KiB some 8,000.
 */
const LINE_LIMIT = 16 * 1024;

/**
 * Limit: sessions (client randoms and open connections) of all key logs, of about 1 KiB with their texts: 100 MiB. A busy API server
 * has some thousand handshakes an hour.
 */
export const SESSION_LIMIT = 100_000;
