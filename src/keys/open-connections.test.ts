import { describe, expect, it } from 'vitest';
import { type OpenConnection, parseOpenConnection } from '../core/open-connection.js';
import { OpenConnections } from './open-connections.js';
import type { RecordReport } from './record-probe.js';

const OFFSETS = { in: 368, out: 520 };
const CLOCK = 1_000_000_000_000n;
const LOCAL = { address: '192.0.2.10', port: 6443 };
const REMOTE = { address: '192.0.2.11', port: 46130 };
const [READ, WRITE, OTHER] = ['0a', '0b', '0c'].map((byte) => byte.repeat(32));

/** Of the connection at `conn` in its process. */
function report(conn: number, operation: 'encrypt' | 'decrypt', changes: Partial<RecordReport> = {}): RecordReport {
  return {
    operation,
    program: 1,
    thread: 7,
    goroutine: '0xc000002380',
    time: 5n,
    halfConn: conn + (operation === 'encrypt' ? OFFSETS.out : OFFSETS.in),
    isClient: false,
    version: '1.3',
    suite: 0x1301,
    record: 12,
    secret: operation === 'encrypt' ? WRITE : READ,
    nonce: '',
    connType: '0x2a',
    local: LOCAL,
    remote: REMOTE,
    ...changes,
  };
}

function opened(sockets = [{ local: LOCAL, remote: REMOTE }]): OpenConnections {
  const connections = new OpenConnections();
  connections.add({ pid: 812, name: 'kube-apiserver', sockets });
  return connections;
}

function observed(connections: OpenConnections, ...reports: readonly RecordReport[]): OpenConnection[] {
  return reports
    .map((one) => connections.observe(one, 812, OFFSETS, CLOCK))
    .filter((line) => line !== null)
    .map((line) => parseOpenConnection(line)!);
}

describe('OpenConnections', () => {
  it('observes a connection once both of its directions were', () => {
    const connections = opened();
    expect(observed(connections, report(0x1000, 'encrypt', { record: 785 }))).toEqual([]);
    expect(connections.count).toEqual({ observed: 0, total: 1 });
    expect(observed(connections, report(0x1000, 'decrypt', { time: 9n }))).toEqual([
      {
        processName: 'kube-apiserver[812]',
        side: 'server',
        version: '1.3',
        suite: 0x1301,
        local: LOCAL,
        remote: REMOTE,
        read: { secret: READ, nonce: '', record: 12, time: CLOCK + 9n },
        write: { secret: WRITE, nonce: '', record: 785, time: CLOCK + 5n },
      },
    ]);
    expect(connections.count).toEqual({ observed: 1, total: 1 });
    expect(connections.countsByName).toEqual(new Map([['kube-apiserver', { observed: 1, total: 1 }]]));
    expect(observed(connections, report(0x1000, 'decrypt', { record: 13 }), report(0x1000, 'encrypt'))).toEqual([]);
    expect(connections.end()).toEqual([]);
  });

  it('counts the other end as observed, and does not write it again', () => {
    const connections = opened();
    connections.add({ pid: 900, name: 'kubelet', sockets: [{ local: REMOTE, remote: LOCAL }] });
    expect(observed(connections, report(0x1000, 'encrypt'), report(0x1000, 'decrypt'))).toHaveLength(1);
    expect(connections.count).toEqual({ observed: 1, total: 1 });
    expect(connections.countOf([900])).toEqual({ observed: 1, total: 1 });
    const end = { isClient: true, local: REMOTE, remote: LOCAL };
    const [encrypt, decrypt] = [
      report(0x2000, 'encrypt', { ...end, secret: READ }),
      report(0x2000, 'decrypt', { ...end, secret: WRITE }),
    ];
    expect([encrypt, decrypt].map((one) => connections.observe(one, 900, OFFSETS, CLOCK))).toEqual([null, null]);
  });

  it('does not write one direction of the other end either', () => {
    const connections = opened();
    connections.add({ pid: 900, name: 'kubelet', sockets: [{ local: REMOTE, remote: LOCAL }] });
    const end = { isClient: true, local: REMOTE, remote: LOCAL, secret: READ };
    expect(connections.observe(report(0x2000, 'encrypt', end), 900, OFFSETS, CLOCK)).toBeNull();
    expect(observed(connections, report(0x1000, 'encrypt'), report(0x1000, 'decrypt'))).toHaveLength(1);
    expect(connections.end()).toEqual([]);
  });

  it('has heard a connection of which one end alone speaks, but not one that is silent, nor waits for those of etcd', () => {
    const [other, etcd] = [50000, 2379].map((port) => ({ local: LOCAL, remote: { ...REMOTE, port } }));
    const connections = opened([{ local: LOCAL, remote: REMOTE }, other, etcd]);
    observed(connections, report(0x1000, 'encrypt'));
    expect(connections.isHeard).toBe(false);
    observed(connections, report(0x2000, 'decrypt', { ...other, secret: OTHER }));
    expect(connections.isHeard).toBe(true);
    expect(connections.count).toEqual({ observed: 0, total: 3 });
  });

  it('writes a single direction at the end', () => {
    const connections = opened();
    observed(connections, report(0x1000, 'decrypt'));
    expect(connections.end().map((line) => parseOpenConnection(line))).toMatchObject([
      { read: { secret: READ }, write: null },
    ]);
  });

  it('does not write a new connection, whose handshake was observed', () => {
    const connections = opened([]);
    const handshake = ['decrypt', 'encrypt'] as const;
    const begin = handshake.map((one) =>
      report(0x1000, one, { record: 0, secret: OTHER.replace('0c', one === 'encrypt' ? '1c' : '2c') }),
    );
    const application = handshake.map((one) => report(0x1000, one, { record: 0 }));
    const later = handshake.map((one) => report(0x1000, one, { record: 1 }));
    expect(observed(connections, ...begin, ...application, ...later)).toEqual([]);
    expect(connections.end()).toEqual([]);
  });

  it('recognises memory that another connection reuses', () => {
    const other = { remote: { ...REMOTE, port: 50000 } };
    const connections = opened([
      { local: LOCAL, remote: REMOTE },
      { local: LOCAL, remote: other.remote },
    ]);
    expect(
      observed(connections, report(0x1000, 'decrypt'), report(0x1000, 'encrypt', { ...other, secret: OTHER })),
    ).toEqual([]);
    expect(observed(connections, report(0x1000, 'decrypt', { ...other, secret: '0e'.repeat(32) }))).toMatchObject([
      { remote: other.remote, write: { secret: OTHER } },
    ]);
  });

  it('ignores an address of which the process has no socket', () => {
    const connections = opened();
    const wrapped = { local: { address: '0.0.0.1', port: 1 }, connType: '0x99' };
    expect(observed(connections, report(0x1000, 'decrypt', wrapped), report(0x1000, 'encrypt', wrapped))).toMatchObject(
      [{ local: null, remote: null, read: { secret: READ } }],
    );
    // Which socket that is is not known; that it is one of them is.
    expect(connections.count).toEqual({ observed: 1, total: 1 });
  });

  it('does not count connections of a program that wraps them twice', () => {
    // etcd behind its multiplexer: the API server's end has addresses, its own has none.
    const other = { local: LOCAL, remote: { ...REMOTE, port: 50000 } };
    const connections = opened([{ local: LOCAL, remote: REMOTE }, other]);
    const turned = { local: REMOTE, remote: LOCAL };
    connections.add({ pid: 900, name: 'etcd', sockets: [turned, { local: other.remote, remote: LOCAL }] });
    observed(connections, report(0x1000, 'encrypt'), report(0x1000, 'decrypt'));
    const wrapped = { isClient: true, local: null, remote: null, connType: '0x99' };
    for (const one of [
      report(0x2000, 'encrypt', { ...wrapped, secret: READ }),
      report(0x2000, 'decrypt', { ...wrapped, secret: WRITE }),
    ])
      connections.observe(one, 900, OFFSETS, CLOCK);
    expect(connections.count).toEqual({ observed: 1, total: 2 });
    expect(connections.countOf([900])).toEqual({ observed: 1, total: 2 });
  });

  it('ignores the address of a socket that belongs to another type of connection', () => {
    const connections = opened();
    const stale = { connType: '0x99', secret: OTHER };
    const lines = observed(
      connections,
      report(0x1000, 'decrypt'),
      report(0x2000, 'decrypt', stale),
      report(0x2000, 'encrypt', { connType: '0x99' }),
    );
    expect(lines).toMatchObject([{ local: null, read: { secret: OTHER } }]);
  });

  it('rejects a stale secret of another direction', () => {
    const connections = opened();
    const zero = report(0x1000, 'encrypt', { secret: '00'.repeat(32) });
    const stale = report(0x1000, 'encrypt', { secret: READ });
    expect(observed(connections, report(0x1000, 'decrypt'), zero, stale)).toEqual([]);
    expect(connections.needsReport(stale, 812, OFFSETS)).toBe(true);
    expect(observed(connections, report(0x1000, 'encrypt'))).toMatchObject([
      { read: { secret: READ }, write: { secret: WRITE } },
    ]);
  });

  it('identifies the process by its addresses if the thread is unknown', () => {
    const connections = opened();
    const end = { isClient: true, local: REMOTE, remote: LOCAL };
    connections.add({ pid: 900, name: 'kubelet', sockets: [{ local: REMOTE, remote: LOCAL }] });
    const reports = [
      report(0x2000, 'encrypt', { ...end, secret: READ }),
      report(0x2000, 'decrypt', { ...end, secret: WRITE }),
    ];
    const lines = reports.map((one) => connections.observe(one, 0, OFFSETS, CLOCK));
    expect(parseOpenConnection(lines[1]!)).toMatchObject({ processName: 'kubelet[900]', local: REMOTE });
    expect(connections.count).toEqual({ observed: 1, total: 1 });
  });

  it('asks anew only for what is not known of connections that are open still', () => {
    const ends = [46130, 46131, 46132, 46133].map((port) => ({ local: LOCAL, remote: { ...REMOTE, port } }));
    const [known, closed, chacha, silent] = ends;
    const connections = opened(ends);
    const both = (conn: number, at: (typeof ends)[0] | object, digit: string, suite = 0x1301) => [
      report(conn, 'encrypt', { ...at, suite, secret: `${digit}a`.repeat(32) }),
      report(conn, 'decrypt', { ...at, suite, secret: `${digit}b`.repeat(32) }),
    ];
    const nameless = { local: null, remote: null };
    const all = [
      ...both(0x1000, known, '1'),
      ...both(0x2000, closed, '2'),
      ...both(0x3000, chacha, '3', 0x1303),
      ...both(0x5000, nameless, '5'),
    ];
    expect(observed(connections, ...all)).toHaveLength(4);
    const { lines } = connections;
    expect(lines.map((line) => parseOpenConnection(line)?.read?.secret.slice(0, 2))).toEqual(['1b', '2b', '3b', '5b']);

    connections.renew((pid) => (pid === 812 ? [known, chacha, silent] : []));
    expect(connections.lines).toEqual(lines.slice(0, 1));
    expect([known, closed, chacha, silent].map((one) => connections.isObserved(one))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(connections.observedIn(812)).toEqual([0x1000]);
    expect(connections.count).toEqual({ observed: 1, total: 3 });
    expect(all.map((one) => connections.needsReport(one, 812, OFFSETS))).toEqual([
      false,
      false,
      ...Array(6).fill(true),
    ]);
    // What is reported again is written again; of the known one there is nothing new.
    expect(observed(connections, ...all).map(({ read }) => read?.secret.slice(0, 2))).toEqual(['2b', '3b', '5b']);
  });

  it('does not await closed connections', () => {
    const connections = opened();
    connections.update({ pid: 812, name: 'kube-apiserver', sockets: [] });
    expect(connections.count).toEqual({ observed: 0, total: 0 });
  });

  it('writes nothing for TLS 1.2 with CBC', () => {
    const connections = opened();
    const cbc = { version: '1.2', suite: 0xc013, secret: null } as const;
    expect(observed(connections, report(0x1000, 'decrypt', cbc), report(0x1000, 'encrypt', cbc))).toEqual([]);
    expect([connections.unreadable, connections.end()]).toEqual([1, []]);
  });
});
