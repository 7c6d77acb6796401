// Both ends of TLS for tests: conversations made by hand from the RFCs (own sealing, own key schedule, nothing of
// src/tls), and real ones between node's own client and server with every byte recorded.

import { type CipherGCMTypes, createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import * as tls from 'node:tls';
import type { Notice } from '../../src/core/notice.js';
import type { Origin } from '../../src/core/origin.js';
import type { Stage } from '../../src/core/stage.js';
import type { Connection, Side, StreamEvent } from '../../src/tcp/stream-event.js';
import { selfSigned } from './certificates.js';

export interface Turn {
  readonly from: Side;
  readonly bytes: Uint8Array;
}

export function connection(over: Partial<Connection> = {}): Connection {
  return {
    id: 1,
    client: { address: '192.0.2.1', port: 40000 },
    server: { address: '192.0.2.2', port: 6443 },
    name: '192.0.2.1:40000-192.0.2.2:6443',
    roles: 'handshake',
    ...over,
  };
}

/** A store to which no more secrets will come. */
export function finished<S extends { final: boolean }>(secrets: S): S {
  secrets.final = true;
  return secrets;
}

export function origin(frame: number): Origin {
  return { capture: 0, frame, time: BigInt(frame) * 1_000_000n };
}

/** The events that TCP would give: `established` in frame 1, then a frame a turn, both FINs, `closed`. */
export function streamEvents(turns: readonly Turn[], over: Partial<Connection> = {}): StreamEvent[] {
  const c = connection(over);
  const events: StreamEvent[] = [{ kind: 'established', connection: c, origin: origin(1) }];
  let frame = 1;
  for (const { from, bytes } of turns) {
    frame += 1;
    events.push({ kind: 'data', connection: c, from, origin: origin(frame), bytes });
  }
  for (const from of ['client', 'server', null] as const) {
    frame += 1;
    events.push({ kind: 'closed', connection: c, from, origin: origin(frame), reason: 'fin' });
  }
  return events;
}

/** Everything a stage says, each list taken before the next call; what was fed is overwritten, as borrowed bytes may be. */
export function run<Out>(stage: Stage<StreamEvent, Out>, events: readonly StreamEvent[]): Out[] {
  const out: Out[] = [];
  for (const event of events) {
    if (event.kind !== 'data') {
      out.push(...stage.feed(event));
      continue;
    }
    const lent = new Uint8Array(event.bytes);
    for (const item of stage.feed({ ...event, bytes: lent })) out.push(own(item));
    lent.fill(0xee);
  }
  out.push(...stage.end());
  return out;
}

function own<T>(item: T): T {
  const event = item as unknown as { bytes?: Uint8Array };
  return event.bytes === undefined ? item : ({ ...item, bytes: new Uint8Array(event.bytes) } as T);
}

/** All plaintext of each direction. */
export function plaintext(out: readonly (StreamEvent | Notice)[]): Record<Side, Buffer> {
  const parts: Record<Side, Uint8Array[]> = { client: [], server: [] };
  for (const item of out) if (item.kind === 'data') parts[item.from].push(item.bytes);
  return { client: Buffer.concat(parts.client), server: Buffer.concat(parts.server) };
}

/** Kinds in order, neighbours of the same kind once: `established tls-established data closed`. */
export function kinds(out: readonly (StreamEvent | Notice)[]): string {
  const names = out.map((item) => (item.kind === 'notice' ? item.code : item.kind));
  return names.filter((name, i) => name !== names[i - 1]).join(' ');
}

/** The same bytes in the same order, cut into pieces of the sizes that `size` gives. */
export function recut(turns: readonly Turn[], size: () => number): Turn[] {
  const out: Turn[] = [];
  for (const { from, bytes } of turns) {
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + Math.max(1, size()));
      out.push({ from, bytes: bytes.subarray(at, end) });
      at = end;
    }
  }
  return out;
}

/** Seals TLS 1.3 records of one direction (RFC 8446, 5.2, 7.3). */
export class Sealer {
  seq = 0;
  #secret: Uint8Array;
  readonly #suite: HandSuite;

  constructor(suite: HandSuite, secret: Uint8Array, seq = 0) {
    this.#suite = suite;
    this.#secret = secret;
    this.seq = seq;
  }

  seal(type: number, content: Uint8Array | string, padding = 0): Uint8Array {
    const { cipher, keyLength, tagLength, hash } = this.#suite;
    const inner = Buffer.concat([Buffer.from(content as string), Buffer.from([type]), Buffer.alloc(padding)]);
    const header = Buffer.from([23, 3, 3, (inner.length + tagLength) >>> 8, (inner.length + tagLength) & 0xff]);
    const nonce = Buffer.from(expandLabel(hash, this.#secret, 'iv', 12));
    const seq = Buffer.alloc(12);
    seq.writeBigUInt64BE(BigInt(this.seq), 4);
    for (let i = 0; i < 12; i += 1) nonce[i] ^= seq[i];
    this.seq += 1;
    const key = expandLabel(hash, this.#secret, 'key', keyLength);
    const aead = createCipheriv(cipher as CipherGCMTypes, key, nonce, { authTagLength: tagLength });
    aead.setAAD(header, { plaintextLength: inner.length });
    const body = Buffer.concat([aead.update(inner), aead.final()]);
    return Buffer.concat([header, body, aead.getAuthTag()]);
  }

  data(content: Uint8Array | string): Uint8Array {
    return this.seal(23, content);
  }

  /** A KeyUpdate message; what is sealed afterwards is under the next keys. */
  keyUpdate(): Uint8Array {
    const record = this.seal(22, Uint8Array.from([24, 0, 0, 1, 0]));
    this.#secret = expandLabel(this.#suite.hash, this.#secret, 'traffic upd', this.#secret.length);
    this.seq = 0;
    return record;
  }

  closeNotify(): Uint8Array {
    return this.seal(21, Uint8Array.from([1, 0]));
  }
}

export interface HandSuite {
  readonly id: number;
  readonly cipher: string;
  readonly hash: 'sha256' | 'sha384';
  readonly keyLength: number;
  readonly tagLength: number;
}

/** RFC 8446, B.4. */
export const TLS13_SUITES: readonly HandSuite[] = [
  { id: 0x1301, cipher: 'aes-128-gcm', hash: 'sha256', keyLength: 16, tagLength: 16 },
  { id: 0x1302, cipher: 'aes-256-gcm', hash: 'sha384', keyLength: 32, tagLength: 16 },
  { id: 0x1303, cipher: 'chacha20-poly1305', hash: 'sha256', keyLength: 32, tagLength: 16 },
  { id: 0x1304, cipher: 'aes-128-ccm', hash: 'sha256', keyLength: 16, tagLength: 16 },
  { id: 0x1305, cipher: 'aes-128-ccm', hash: 'sha256', keyLength: 16, tagLength: 8 },
];

export interface HandMade {
  readonly clientRandom: string;
  readonly keyLog: string;
  readonly clientHello: Turn;
  readonly serverHello: Turn;
  /** EncryptedExtensions and Finished of the server, Finished of the client. */
  readonly serverFlight: Turn;
  readonly clientFlight: Turn;
  /** All of the above. */
  readonly handshake: readonly Turn[];
  readonly client: Sealer;
  readonly server: Sealer;
  /** Seals early data. */
  readonly early: Sealer;
}

export interface HandOptions {
  readonly suite?: HandSuite;
  readonly earlyData?: 'accepted' | 'rejected';
  /** Sequence numbers at which the application sealers begin. */
  readonly clientSeq?: number;
  readonly serverSeq?: number;
}

/** A TLS 1.3 handshake as far as a listener can see it: the secrets are random, certificates are left out. */
export function handMade(options: HandOptions = {}): HandMade {
  const suite = options.suite ?? TLS13_SUITES[0];
  const size = suite.hash === 'sha256' ? 32 : 48;
  const random = randomBytes(32);
  const secret = {
    CLIENT_EARLY_TRAFFIC_SECRET: randomBytes(size),
    CLIENT_HANDSHAKE_TRAFFIC_SECRET: randomBytes(size),
    SERVER_HANDSHAKE_TRAFFIC_SECRET: randomBytes(size),
    CLIENT_TRAFFIC_SECRET_0: randomBytes(size),
    SERVER_TRAFFIC_SECRET_0: randomBytes(size),
  };
  const clientRandom = random.toString('hex');
  const early = options.earlyData !== undefined;
  const finished = Buffer.concat([Buffer.from([20, 0, 0, size]), randomBytes(size)]);
  const serverHs = new Sealer(suite, secret.SERVER_HANDSHAKE_TRAFFIC_SECRET);
  const clientHs = new Sealer(suite, secret.CLIENT_HANDSHAKE_TRAFFIC_SECRET);
  const extensions = [extension(16, Buffer.from('\x00\x03\x02h2', 'latin1'))];
  if (options.earlyData === 'accepted') extensions.push(extension(42, Buffer.alloc(0)));
  const clientHello = turn(
    'client',
    clear(
      hello(1, random, Buffer.from([0, 2, suite.id >>> 8, suite.id & 0xff, 1, 0]), [
        extension(0, Buffer.from('\x00\x0c\x00\x00\x09localhost', 'latin1')),
        extension(43, Buffer.from([2, 3, 4])),
        ...(early ? [extension(42, Buffer.alloc(0))] : []),
      ]),
    ),
  );
  const serverHello = turn(
    'server',
    clear(
      hello(2, randomBytes(32), Buffer.from([suite.id >>> 8, suite.id & 0xff, 0]), [
        extension(43, Buffer.from([3, 4])),
      ]),
    ),
  );
  const encryptedExtensions = message(8, vector16(Buffer.concat(extensions)));
  // A record for each message, as Go's servers write them.
  const serverFlight = turn('server', serverHs.seal(22, encryptedExtensions), serverHs.seal(22, finished));
  const clientFlight = turn('client', clientHs.seal(22, finished));
  return {
    clientRandom,
    keyLog: Object.entries(secret)
      .map(([label, value]) => `${label} ${clientRandom} ${value.toString('hex')}\n`)
      .join(''),
    clientHello,
    serverHello,
    serverFlight,
    clientFlight,
    handshake: [clientHello, serverHello, serverFlight, clientFlight],
    client: new Sealer(suite, secret.CLIENT_TRAFFIC_SECRET_0, options.clientSeq),
    server: new Sealer(suite, secret.SERVER_TRAFFIC_SECRET_0, options.serverSeq),
    early: new Sealer(suite, secret.CLIENT_EARLY_TRAFFIC_SECRET),
  };
}

export function turn(from: Side, ...parts: readonly Uint8Array[]): Turn {
  return { from, bytes: Buffer.concat(parts) };
}

/** A handshake message in a record without protection. */
export function clear(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([22, 3, 3, bytes.length >>> 8, bytes.length & 0xff]), bytes]);
}

export function message(type: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([type, body.length >>> 16, (body.length >>> 8) & 0xff, body.length & 0xff]), body]);
}

/** A Certificate message of TLS 1.2 with one certificate (RFC 5246, 7.4.2). */
export function certificateMessage(der: Uint8Array): Uint8Array {
  const length = (n: number): Buffer => Buffer.of(n >>> 16, (n >>> 8) & 0xff, n & 0xff);
  return message(11, Buffer.concat([length(der.length + 3), length(der.length), der]));
}

/** ClientHello or ServerHello: version, random, empty session id, what the type has in the middle, extensions. */
export function hello(
  type: number,
  random: Uint8Array,
  middle: Uint8Array,
  extensions: readonly Uint8Array[],
): Uint8Array {
  const body = [Buffer.from([3, 3]), random, Buffer.from([0]), middle, vector16(Buffer.concat(extensions))];
  return message(type, Buffer.concat(body));
}

export function extension(type: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([type >>> 8, type & 0xff]), vector16(body)]);
}

function vector16(body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([body.length >>> 8, body.length & 0xff]), body]);
}

function expandLabel(hash: string, secret: Uint8Array, label: string, length: number): Uint8Array {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac(hash, secret).update(info).digest().subarray(0, length);
}

export interface Loopback {
  readonly turns: readonly Turn[];
  readonly keyLog: string;
  /** What the two applications wrote. */
  readonly sent: Readonly<Record<Side, Buffer>>;
  /** What the client has agreed on: IANA name, version, protocol. */
  readonly cipher: string;
  readonly protocol: string | null;
  readonly alpn: string | false | null;
  readonly reused: boolean;
  readonly session: Buffer | undefined;
}

export interface LoopbackOptions {
  readonly server?: tls.TlsOptions;
  readonly client?: tls.ConnectionOptions;
  readonly key?: 'rsa' | 'ec';
  /** Sizes of what the client and the server write in turn. */
  readonly sizes?: readonly number[];
  readonly renegotiate?: boolean;
  /** An earlier server to talk to again, so that its tickets are good. */
  readonly ticketKeys?: Buffer;
}

/** node's TLS client and server over loopback sockets, with a relay between them that records. */
export async function loopback(options: LoopbackOptions): Promise<Loopback> {
  const sizes = options.sizes ?? [300, 5000, 1, 40_000];
  const turns: Turn[] = [];
  let keyLog = '';
  const sent: Record<Side, Buffer> = { client: Buffer.alloc(0), server: Buffer.alloc(0) };
  const write = (side: Side, socket: tls.TLSSocket, size: number) => {
    const bytes = randomBytes(size);
    sent[side] = Buffer.concat([sent[side], bytes]);
    socket.write(bytes);
  };
  const server = tls.createServer({
    ...CERTIFICATES[options.key ?? 'ec'],
    ticketKeys: options.ticketKeys,
    dhparam: 'auto',
    ...options.server,
  } as tls.TlsOptions);
  server.on('keylog', (line: Buffer) => {
    keyLog += line.toString('latin1');
  });
  server.on('secureConnection', (socket) => {
    let got = 0;
    let step = 1;
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => {
      got += data.length;
      for (; step < sizes.length && got >= dueBefore(sizes, step); step += 2) write('server', socket, sizes[step]);
    });
  });
  const port = await listen(server);
  const relay = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    pipe(near, far, 'client', turns);
    pipe(far, near, 'server', turns);
  });
  const relayPort = await listen(relay);
  const result = await new Promise<Omit<Loopback, 'turns' | 'keyLog' | 'sent'>>((resolve, reject) => {
    const client = tls.connect({ port: relayPort, host: '127.0.0.1', rejectUnauthorized: false, ...options.client });
    let got = 0;
    let step = 0;
    let session: Buffer | undefined;
    client.on('session', (data: Buffer) => {
      session = data;
    });
    client.on('error', reject);
    const next = () => {
      for (; step < sizes.length && got >= dueBefore(sizes, step); step += 2) write('client', client, sizes[step]);
      if (got < dueBefore(sizes, sizes.length + (sizes.length % 2))) return;
      const { standardName } = client.getCipher();
      const facts = {
        cipher: standardName,
        protocol: client.getProtocol(),
        alpn: client.alpnProtocol,
        reused: client.isSessionReused(),
      };
      client.on('close', () => resolve({ ...facts, session }));
      client.end();
    };
    client.on('secureConnect', () => {
      if (options.renegotiate === true) client.renegotiate({}, (error) => (error === null ? next() : reject(error)));
      else next();
    });
    client.on('data', (data: Buffer) => {
      got += data.length;
      next();
    });
  });
  await Promise.all([server, relay].map((it) => new Promise((resolve) => it.close(resolve))));
  return { turns, keyLog, sent, ...result };
}

/** What the other side must have sent before this step. */
function dueBefore(sizes: readonly number[], step: number): number {
  return sizes.filter((_, i) => i < step && i % 2 !== step % 2).reduce((sum, size) => sum + size, 0);
}

function listen(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

function pipe(from: Socket, to: Socket, side: Side, turns: Turn[]): void {
  from.on('data', (bytes: Buffer) => {
    turns.push({ from: side, bytes: new Uint8Array(bytes) });
    to.write(bytes);
  });
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
}

/** A certificate that signs itself (RFC 5280), so that no key lies in the repository. */
const CERTIFICATES = { rsa: selfSigned('rsa'), ec: selfSigned('ec') };

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
