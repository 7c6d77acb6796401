// A control plane that had been running for more than a minute when it was captured (fixtures/running-cluster-tls), with the file that
// `kubeseq keys` writes: what probes on its API server reported becomes a key log here, by the code that writes it.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConnectionLine, parseOpenConnection } from '../../src/core/open-connection.js';
import { captureReader, type Message, type Notice, observe, pcapngHead, pcapngPacket } from '../../src/index.js';
import { OpenConnections } from '../../src/keys/open-connections.js';
import { secretStore } from '../../src/tls/key-log.js';
import { firstNumber, observedDirection } from '../../src/tls/observed-keys.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { HAS_TSHARK, tshark } from '../kit/tshark.js';

const FOLDER = 'running-cluster-tls';
const CAPTURE = fixture(`${FOLDER}/capture.pcap`);

/** As a probe on `crypto/tls.(*halfConn).encrypt` and `.decrypt` reported it. `t` in s of the kernel's clock. */
interface ProbeLine {
  readonly t: number;
  readonly way: 'enc' | 'dec';
  readonly hc: number;
  readonly version: number;
  readonly seq: number;
  readonly secret: string;
}

function text(name: string): string {
  return Buffer.from(fixture(`${FOLDER}/${name}`)).toString('latin1');
}

/** Which side of the handshake sends with a traffic secret, as the API server's own key log has it. */
const SENDERS = new Map(
  text('true-keys.log')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([label]) => /^(?:CLIENT|SERVER)_TRAFFIC_SECRET_0$/.test(label))
    .map(([label, , secret]) => [secret, label.startsWith('CLIENT') ? 'client' : 'server'] as const),
);

/**
 * ns that make the probe's time one since the epoch. A record is encrypted before it is captured and decrypted afterwards: record 785 of
 * the API server's first connection, in frame 1, says that it is at most 1,795,507,524.649999 s, record 557 of its client at least .649734.
 */
const CLOCK = 1_795_507_524_649_850_000n;

/**
 * The lines of a key log. The probe of that day read neither addresses nor suite nor `isClient`: the side is the one that the server's
 * own key log tells, the suite that of all its connections, and addresses are left out, as where they cannot be read.
 */
function keyLog(): string {
  const offsets = { in: 368, out: 520 };
  const connections = new OpenConnections();
  connections.add({ pid: 812, name: 'kube-apiserver', sockets: [] });
  const lines = fixtureLines<ProbeLine>(`${FOLDER}/probe-keys.jsonl`).map((one) => {
    const operation = one.way === 'enc' ? 'encrypt' : 'decrypt';
    const sends = SENDERS.get(one.secret) ?? 'server';
    const report = {
      operation,
      program: 1,
      thread: 812,
      goroutine: '',
      time: BigInt(Math.round(one.t * 1e6)) * 1000n,
      halfConn: one.hc,
      isClient: (sends === 'client') === (operation === 'encrypt'),
      version: '1.3',
      suite: 0x1301,
      record: one.seq,
      secret: one.secret,
      nonce: '',
      connType: '',
      local: null,
      remote: null,
    } as const;
    expect(one.version).toBe(0x0304);
    return connections.observe(report, 812, offsets, CLOCK);
  });
  return [...lines, ...connections.end()].flatMap((line) => (line === null ? [] : [`${line}\n`])).join('');
}

/** The capture as pcapng with a block of secrets. */
function embedded(keyLog: string): Uint8Array {
  const reader = captureReader({ capture: 0 });
  const frames = [...reader.feed(CAPTURE), ...reader.end()].filter((item) => item.kind === 'frame');
  return Buffer.concat([pcapngHead(frames[0].linkType, { keyLog }), ...frames.map(pcapngPacket)]);
}

interface Read {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
}

async function read(keyLogs: string[], live: boolean | undefined = undefined): Promise<Read> {
  const bytes = (async function* () {
    yield CAPTURE;
  })();
  const [messages, notices]: [Message[], Notice[]] = [[], []];
  for await (const batch of observe([bytes], { keyLogs, live }))
    for (const item of batch) {
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
  return { messages, notices };
}

function auditIds(messages: readonly Message[]): Set<string> {
  return new Set(messages.map(({ auditId }) => auditId ?? '').filter((id) => LOGGED.has(id)));
}

const LOGGED = new Set(fixtureLines<{ auditID: string }>(`${FOLDER}/audit.jsonl`).map(({ auditID }) => auditID));

function events(messages: readonly Message[]): number {
  return messages.filter(({ kind }) => kind === 'event').length;
}

describe('a cluster that was running already', async () => {
  const log = keyLog();
  const lines = log.trimEnd().split('\n');
  const whole = await read([log, text('handshake-keys.log')]);

  it('handshakes alone open what began later', async () => {
    const { messages } = await read([text('handshake-keys.log')]);
    expect(LOGGED.size).toBe(175);
    expect([auditIds(messages).size, events(messages)]).toEqual([11, 3]);
  });

  it('the key log has a line for each connection that was open, both of its ends in one', () => {
    // tshark -z conv,tcp: seven connections without a SYN that carry TLS.
    expect(lines).toHaveLength(7);
    for (const line of lines) expect(parseOpenConnection(line)).toMatchObject({ read: {}, write: {} });
  });

  it('with it every request of the audit log is read, and every watch event', () => {
    expect(auditIds(whole.messages)).toEqual(LOGGED);
    expect(events(whole.messages)).toBeGreaterThanOrEqual(235);
    expect(whole.notices.filter(({ code }) => code === 'tls.mid-session')).toHaveLength(7);
    expect(whole.notices.filter(({ code }) => /tls\.(?:no-|bad)|limit/.test(code))).toEqual([]);
  });

  it('records that were captured before a secret was seen are read', () => {
    const first = new Map<string, bigint>();
    for (const { connection, time } of whole.messages) if (!first.has(connection)) first.set(connection, time);
    const heardAt = lines.map((line) => {
      const { read: into, write: out } = parseOpenConnection(line)!;
      return into!.time < out!.time ? into!.time : out!.time;
    });
    // The first message of the capture came before the first secret of any connection but one; those of idle ones half a minute later.
    const [earliest] = [...first.values()].sort((a, b) => Number(a - b));
    expect(heardAt.filter((time) => time > earliest).length).toBeGreaterThanOrEqual(6);
    expect(whole.messages.filter(({ time }) => time < heardAt.at(-1)!).length).toBeGreaterThan(30);
  });

  it('the first record number of each direction follows from the one that was seen, by counting', () => {
    const store = secretStore();
    store.add(log);
    const placed = new Map(
      whole.notices
        .filter(({ code }) => code === 'tls.mid-session')
        .map(({ connection, detail }) => {
          const [, client, server] = /the client from record (\d+) on, the server from record (\d+) on/.exec(detail)!;
          return [connection!, { client: Number(client), server: Number(server) }] as const;
        }),
    );
    // When each record of these connections was complete, as tshark has it.
    const directions = fixtureLines<{ connection: string; from: 'client' | 'server'; times: string[] }>(
      `${FOLDER}/records.truth.jsonl`,
    ).map((one) => ({ ...one, times: one.times.map((time) => BigInt(time.replace('.', ''))) }));
    expect(directions).toHaveLength(14);
    const off = directions.map(({ connection, from, times }) => {
      const counted = store.observed().map((secrets) => firstNumber(times, observedDirection(secrets, from)!));
      return Math.min(...counted.map((number) => Math.abs(number - placed.get(connection)![from])));
    });
    expect(off.filter((one) => one === 0).length).toBeGreaterThanOrEqual(12);
    // A record that arrives before the one ahead of it was decrypted is counted too.
    expect(Math.max(...off)).toBeLessThanOrEqual(1);
  });

  it.skipIf(!HAS_TSHARK)(
    'another reader passes over these lines, in a file and in a pcapng, and opens what it did before',
    () => {
      const handshakes = text('handshake-keys.log');
      const file = join(mkdtempSync(join(tmpdir(), 'kubeseq-')), 'keys.log');
      const paths = (capture: Uint8Array, keyLog: string): string[][] => {
        writeFileSync(file, keyLog);
        const more = ['-d', 'tcp.port==6443,tls', '-o', `tls.keylog_file:${file}`, '-Y', 'http2.headers.path'];
        return tshark(capture, ['frame.number', 'http2.headers.path'], more);
      };
      const expected = paths(CAPTURE, handshakes);
      expect(expected.length).toBeGreaterThanOrEqual(11);
      expect(paths(CAPTURE, `${log}${handshakes}${log}`)).toEqual(expected);
      expect(paths(embedded(`${log}${handshakes}`), '')).toEqual(expected);
    },
  );

  it('read while it is captured every request and event is read, too', async () => {
    const live = await read([log, text('handshake-keys.log')], true);
    expect([auditIds(live.messages).size, events(live.messages)]).toEqual([175, events(whole.messages)]);
  });

  it('wrong secrets, numbers and addresses open nothing and invent nothing', async () => {
    const wrong = lines.map((line, i) => {
      const one = parseOpenConnection(line)!;
      const [local, remote] = [
        { address: '192.0.2.10', port: 6443 },
        { address: '192.0.2.11', port: 46130 + i },
      ];
      return openConnectionLine({
        ...one,
        local,
        remote,
        read: { ...one.read!, secret: 'ab'.repeat(32) },
        write: null,
      });
    });
    const { messages } = await read([`${wrong.join('\n')}\n`, text('handshake-keys.log')]);
    expect([auditIds(messages).size, events(messages)]).toEqual([11, 3]);
    // Addresses of somebody else do not keep the right secrets from being tried, and a number that is not so is no harm.
    const misplaced = lines.map((line) => {
      const one = parseOpenConnection(line)!;
      const [local, remote] = [
        { address: '192.0.2.10', port: 6443 },
        { address: '192.0.2.11', port: 46130 },
      ];
      return openConnectionLine({
        ...one,
        local,
        remote,
        read: { ...one.read!, record: 7 },
        write: { ...one.write!, record: 9 },
      });
    });
    const found = await read([`${misplaced.join('\n')}\n`, text('handshake-keys.log')]);
    expect(auditIds(found.messages)).toEqual(LOGGED);
  });
});
