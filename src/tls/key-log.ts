// TLS secrets by client random, read from NSS key log text (SSLKEYLOGFILE, draft-ietf-tls-keylogfile), and those of connections
// that were observed open, by their ends.

import { dictionary } from '../core/collections/dictionary.js';
import type { HeaderTables } from '../core/header-table.js';
import { type Notice, notice } from '../core/notice.js';
import { addressText, type OpenConnection, openConnectionLine, parseOpenConnection } from '../core/open-connection.js';
import type { Connection } from '../tcp/stream-event.js';
import { HeaderTableStore } from './header-tables.js';

/** Secrets of one handshake, in lower-case hexadecimal; null where the key log has no such line. */
export interface SessionSecrets {
  /** The client random, 64 hexadecimal digits; of an observed connection a name that no client random has. */
  readonly id: string;
  /** 1, 2, 3 … in order of appearance. */
  readonly order: number;
  /** Whether a connection whose handshake was captured, or an opened late one, has this client random. */
  used: boolean;
  /** TLS 1.2 master secret. */
  master: string | null;
  clientEarly: string | null;
  clientHandshake: string | null;
  serverHandshake: string | null;
  clientTraffic: string | null;
  serverTraffic: string | null;
  /** The connection on which a process was observed using them, after its handshake; null: a line of its handshake told them. */
  readonly observed: OpenConnection | null;
}

export interface SecretStore {
  /** Grows with every line that told something new: whoever waits for keys compares it. */
  readonly version: number;
  /** Number of client randoms. */
  readonly size: number;
  /** There is a key log, whatever is in it. */
  readonly given: boolean;
  /** No more secrets will come: nobody has to wait for one. */
  final: boolean;
  /**
   * Reads more of a key log. The last line may be cut: the rest is awaited from the same `source`, so a file can be
   * read as it grows and several can be read side by side.
   */
  add(text: string, source?: string): void;
  /** The key logs are over: reads last lines without line end. Says what was skipped since the last call. */
  end(): readonly Notice[];
  find(clientRandom: string): SessionSecrets | undefined;
  /** Handshakes with TLS 1.3 traffic secrets whose `order` is above `after`: unused first, then nearest to `near`, else newest first. */
  candidates(after?: number, near?: number): SessionSecrets[];
  /** What was observed on a connection with these ends, the newest; the ends may be the other way round. */
  observedOn(connection: Connection): SessionSecrets | undefined;
  /** What was observed on connections, `order` above `after`, unused first. */
  observed(after?: number): SessionSecrets[];
  /** HPACK tables that were observed beside the secrets of open connections. */
  readonly headerTables: HeaderTables;
  /** Text of an NSS key log with the secrets of handshakes that were used, and no others. */
  usedLines(): string;
}

export function secretStore(): SecretStore {
  return new Store();
}

class Store implements SecretStore {
  version = 0;
  given = false;
  final = false;
  readonly #sessions = new Map<string, SessionSecrets>();
  readonly #ordered: SessionSecrets[] = [];
  readonly headerTables = new HeaderTableStore();
  readonly #observed: SessionSecrets[] = [];
  readonly #observedOn = new Map<string, SessionSecrets>();
  readonly #partial = new Map<string, string>();
  #malformed = 0;
  #overLimit = 0;

  get size(): number {
    return this.#ordered.length;
  }

  add(text: string, source = ''): void {
    this.given = true;
    const whole = (this.#partial.get(source) ?? '') + text;
    let start = 0;
    for (let end = whole.indexOf('\n'); end !== -1; end = whole.indexOf('\n', start)) {
      this.#line(whole.slice(start, end));
      start = end + 1;
    }
    const rest = whole.slice(start);
    if (rest.length <= LINE_LIMIT) {
      this.#partial.set(source, rest);
      return;
    }
    // Whatever comes until the line ends belongs to a line that cannot be one.
    this.#partial.set(source, rest.slice(0, LINE_LIMIT + 1));
  }

  end(): readonly Notice[] {
    for (const rest of this.#partial.values()) this.#line(rest);
    this.#partial.clear();
    const notices: Notice[] = [];
    if (this.#malformed > 0) notices.push(notice('keys.malformed', `${this.#malformed} lines`));
    if (this.#overLimit > 0) {
      notices.push(
        notice('limit.secrets', `${this.#overLimit} lines beyond the secrets of ${SESSION_LIMIT} client randoms`),
      );
    }
    this.#malformed = 0;
    this.#overLimit = 0;
    return notices;
  }

  find(clientRandom: string): SessionSecrets | undefined {
    return this.#sessions.get(clientRandom);
  }

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

  observedOn({ client, server }: Connection): SessionSecrets | undefined {
    return this.#observedOn.get(`${addressText(client)} ${addressText(server)}`);
  }

  observed(after = 0): SessionSecrets[] {
    const found = this.#observed.filter(({ order }) => order > after);
    return [...found.filter(({ used }) => !used), ...found.filter(({ used }) => used)];
  }

  usedLines(): string {
    const labels = Object.entries(FIELDS) as [string, SecretField][];
    const linesOf = (session: SessionSecrets): string[] =>
      session.observed !== null
        ? [`${openConnectionLine(session.observed)}\n`]
        : labels.flatMap(([label, field]) =>
            session[field] === null ? [] : [`${label} ${session.id} ${session[field]}\n`],
          );
    const secrets = this.#ordered.flatMap((session) => (session.used ? linesOf(session) : []));
    return [...secrets, ...this.headerTables.usedLines()].join('');
  }

  #line(raw: string): void {
    const line = raw.trim();
    if (line === '') return;
    if (line.startsWith('#')) {
      this.#comment(line);
      return;
    }
    const match = line.length <= LINE_LIMIT ? LINE.exec(line) : null;
    if (match === null) {
      if (!IGNORED.test(line)) this.#malformed += 1;
      return;
    }
    const field = FIELDS[match[1]];
    if (field === undefined) {
      if (!IGNORED.test(line)) this.#malformed += 1;
      return;
    }
    const secret = match[3].toLowerCase();
    if (!(secret.length === 96 || (secret.length === 64 && field !== 'master'))) {
      this.#malformed += 1;
      return;
    }
    const session = this.#session(match[2].toLowerCase());
    if (session === undefined) {
      this.#overLimit += 1;
    } else if (session[field] !== secret) {
      session[field] = secret;
      this.version += 1;
    }
  }

  /** A comment for other readers of key logs. */
  #comment(line: string): void {
    if (line.length > LINE_LIMIT) return;
    const observed = parseOpenConnection(line);
    const table = observed === null ? this.headerTables.add(line) : null;
    if (observed === undefined || table === undefined) this.#malformed += 1;
    if (observed == null) return;
    if (this.#ordered.length >= SESSION_LIMIT) {
      this.#overLimit += 1;
      return;
    }
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

/**
 * Known labels that open no record; later traffic secrets are computed (OpenSSL 3 writes N for their number), and RSA lines
 * name no client random.
 */
const IGNORED =
  /^(RSA|PMS_CLIENT_RANDOM|EXPORTER_SECRET|EARLY_EXPORTER_SECRET|EARLY_EXPORTER_MASTER_SECRET|ECH_SECRET|ECH_CONFIG|(CLIENT|SERVER)_TRAFFIC_SECRET_([1-9][0-9]*|N)) [0-9a-fA-F]+ [0-9a-fA-F]+$/;

/** Of secrets the longest line has 194 characters, RSA lines of 4096-bit keys some 2,000; of an HPACK table of 4 KiB some 8,000. */
const LINE_LIMIT = 16 * 1024;

/** About 1 KiB each with its text: 100 MiB. A busy API server makes some thousand handshakes an hour. */
export const SESSION_LIMIT = 100_000;
