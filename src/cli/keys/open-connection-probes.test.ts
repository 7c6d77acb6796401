import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { CliError } from '../cli-error.js';
import type { Reports } from '../output/reports.js';
import type { KeyTarget } from './key-targets.js';
import { OpenConnectionProbes } from './open-connection-probes.js';
import { identityOf } from './processes.js';
import type { Probes } from './tracefs.js';

const FIELDS = {
  halfConn: { version: 24, cipher: 32, seq: 64, trafficSecret: 128 },
  conn: { conn: 0, isClient: 16, cipherSuite: 100, in: 368, out: 520 },
  aesKey: { isPointer: false, at: 8 },
};

/** This very program, which has a connection open while `use` runs; a kernel that refuses probes of some names. */
async function withProbes(
  refused: string,
  use: (probes: OpenConnectionProbes, target: KeyTarget) => void,
): Promise<{ removed: string[]; notes: string[] }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  const [removed, notes]: [string[], string[]] = [[], []];
  const kernel = {
    add: (program: number, _line: unknown, name: string) => {
      if (name === refused) throw new CliError('the kernel takes no probe');
      return `${name}_${program}`;
    },
    disable: (events: readonly string[]) => removed.push(...events),
    filter: () => {},
  } as unknown as Probes;
  const reports = { say: (text: string) => notes.push(text), progress: () => {} } as unknown as Reports;
  const target = {
    binary: process.execPath,
    opened: { identity: identityOf(process.execPath) },
    name: 'node',
    program: 'node',
    records: { arch: 'amd64', fields: FIELDS, offsets: { encrypt: 1, decrypt: 2 }, headerOffsets: [3] },
  } as unknown as KeyTarget;
  use(new OpenConnectionProbes(kernel, 60_000, false, reports), target);
  client.destroy();
  server.close();
  return { removed, notes };
}

const isLinux = process.platform === 'linux';

it.skipIf(!isLinux)('waits for the connections of the processes of a program', async () => {
  const { removed, notes } = await withProbes('', (probes, target) => {
    probes.add(1, target, target.binary, [process.pid]);
    expect(probes.done).toBe(false);
    expect(probes.count.total).toBeGreaterThanOrEqual(1);
    probes.stop();
    expect(probes.done).toBe(true);
  });
  expect([removed, notes]).toEqual([[], []]);
});

it.skipIf(!isLinux).each([
  ['decrypt', ['encrypt_1']],
  ['headers', ['encrypt_1', 'decrypt_1']],
])(
  'where the kernel takes no probe for %s, those before it go, and handshakes are reported all the same',
  async (refused, gone) => {
    const { removed, notes } = await withProbes(refused, (probes, target) => {
      probes.add(1, target, target.binary, [process.pid]);
      expect(probes.done).toBe(true);
    });
    expect(removed).toEqual(gone);
    expect(notes).toEqual(['node: connections that are open already cannot be read: the kernel takes no probe']);
  },
);

it('reports of a Go version without a row that new connections are read', async () => {
  const { notes } = await withProbes('', (probes, target) => {
    probes.add(
      1,
      { ...target, records: 'of go1.31, whose layout of crypto/tls structures is not known' },
      target.binary,
      [process.pid],
    );
    expect(probes.done).toBe(true);
  });
  expect(notes).toEqual([
    'node is of go1.31, whose layout of crypto/tls structures is not known: its connections that are open already cannot be read, new ones can',
  ]);
});
