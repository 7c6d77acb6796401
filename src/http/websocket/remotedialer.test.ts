import { describe, expect, it } from 'vitest';
import { dialerMessage, type Heard, heardOf, MASK, type Sent, webSocket } from '../../../test/kit/channel-kit.js';
import { CONNECTION, originOf } from '../../../test/kit/http1-kit.js';
import { WebSocketChannels } from './channels.js';
import { MAX_DIALLED } from './remotedialer.js';

const KUBELET = 'tcp/127.0.0.1:10250';
const REQUEST = 'GET /pods HTTP/1.1\r\n\r\n';

/** What the tunnel's server, and its agent, says. */
const S = (connection: number, type: number, payload: string): Sent => [
  'server',
  webSocket(dialerMessage(connection, type, payload)),
];
const A = (connection: number, type: number, payload: string): Sent => [
  'client',
  webSocket(dialerMessage(connection, type, payload), { mask: MASK }),
];

const read = (sent: readonly Sent[], connection = CONNECTION): Heard =>
  heardOf(new WebSocketChannels('', '/v1-k3s/connect', connection), sent);

/** `> GET /`, `< …`; `established 192.0.2.1:10250`. */
function inside({ tunnelled }: Heard): string[] {
  const lines: string[] = [];
  for (const item of tunnelled) {
    if (item.kind === 'data') {
      const arrow = item.from === 'client' ? '>' : '<';
      const text = Buffer.from(item.bytes).toString('latin1');
      if (lines.at(-1)?.startsWith(arrow) === true) lines[lines.length - 1] += text;
      else lines.push(`${arrow} ${text}`);
    } else if (item.kind === 'established') lines.push(`established ${item.connection.name}`);
    else if (item.kind === 'closed') lines.push(`closed ${item.from} ${item.reason}`);
    else if (item.kind === 'gap') lines.push(`gap ${item.from} ${item.length}`);
  }
  return lines;
}

const LOG = [S(2, 2, KUBELET), S(2, 1, REQUEST), A(2, 1, 'HTTP/1.1 200 OK\r\n\r\n'), A(2, 3, 'EOF')];
const READ = [
  'established 192.0.2.2:8080-192.0.2.1:10250',
  `> ${REQUEST}`,
  '< HTTP/1.1 200 OK\r\n\r\n',
  'closed server fin',
  'closed null fin',
];

describe('a tunnel of remotedialer', () => {
  it('has a connection of its own for each address that is dialled', () => {
    const heard = read(LOG);
    expect(inside(heard)).toEqual(READ);
    expect(heard.words).toEqual(['< connect 19 1-1', '< data 22 2-2', '> data 19 3-3', '> end 3 4-4']);
    expect(heard.troubles).toEqual([]);
    expect(heard.tunnelled[0]).toMatchObject({
      connection: {
        client: CONNECTION.server,
        server: { address: '127.0.0.1', port: 10250, host: CONNECTION.client.address },
        roles: 'handshake',
        relay: { for: 'server', end: CONNECTION.client, protocol: 'remotedialer' },
      },
    });
    expect(heard.tunnelled.at(-2)).toMatchObject({ kind: 'stream-bytes', bytes: { client: 22, server: 19 } });
  });

  it('is the same in pieces of one byte', () => {
    const bytes = LOG.flatMap(([from, whole]) =>
      [...(whole as Uint8Array)].map((byte): Sent => [from, Uint8Array.of(byte)]),
    );
    expect(inside(read(bytes))).toEqual(READ);
  });

  it('carries several connections at once, which have ids of their own', () => {
    const heard = read([
      S(2, 2, KUBELET),
      S(3, 2, 'tcp/[2001:db8::7]:443'),
      S(3, 1, 'b'),
      S(2, 1, 'a'),
      A(3, 1, 'c'),
      S(4, 2, 'tcp/kubernetes.default.svc:443'),
    ]);
    expect(inside(heard).slice(0, 6)).toEqual([
      READ[0],
      'established 192.0.2.2:8080-2001:db8::7:443',
      '> ba',
      '< c',
      'established 192.0.2.2:8080-192.0.2.1:443',
      'closed null end',
    ]);
    const ids = heard.tunnelled.flatMap((one) => (one.kind === 'established' ? [one.connection.id] : []));
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id > CONNECTION.id && id < CONNECTION.id + 1)).toBe(true);
  });

  it.each<[string, Sent, string[]]>([
    [
      'the agent says why',
      A(2, 3, 'dial tcp 127.0.0.1:10250: connect: connection refused'),
      ['connection.not-forwarded remotedialer: 127.0.0.1:10250: connection refused'],
    ],
    [
      'the agent says nothing (client_dialer.go)',
      A(2, 3, 'EOF'),
      [
        'connection.not-forwarded remotedialer: 127.0.0.1:10250: the agent could not dial it, or it ended without a byte',
      ],
    ],
    ['the server thinks better of it', S(2, 3, 'EOF'), []],
  ])('where an address cannot be dialled: %s', (_, answer, troubles) => {
    expect(read([S(2, 2, KUBELET), answer]).troubles).toEqual(troubles);
  });

  it.each([
    ['client', 'agent', 'server'],
    ['server', 'server', 'client'],
  ] as const)('ended by its %s', (by, words, side) => {
    const [reader, heard] = [new WebSocketChannels('', '', CONNECTION), read([])];
    reader.feed('server', LOG[0][1] as Uint8Array, originOf(1), heard);
    reader.end('client', heard, by, originOf(2));
    reader.end('server', heard, by, originOf(2));
    expect(heard.troubles).toEqual([`connection.tunnel-ended its ${words} disconnected (remotedialer)`]);
    expect(inside(heard)).toEqual([READ[0], `closed ${side} fin`, 'closed null fin']);
  });

  it('a hole in a message is one in its connection; one in the numbers costs the message', () => {
    const [, whole] = A(2, 1, '0123456789') as [string, Uint8Array];
    const hole = (from: number): Sent[] => [
      LOG[0],
      ['client', whole.subarray(0, from)],
      ['client', 3],
      ['client', whole.subarray(from + 3)],
      A(2, 1, 'next'),
    ];
    expect(inside(read(hole(whole.length - 5))).slice(1, 4)).toEqual(['< 01234', 'gap server 3', '< 89next']);
    expect(inside(read(hole(8))).slice(1, 2)).toEqual(['< next']);
  });

  it('has a limit of open connections', () => {
    const heard = read(Array.from({ length: MAX_DIALLED + 2 }, (_, i) => S(i, 2, KUBELET)));
    expect(heard.troubles).toEqual([`limit.streams more than ${MAX_DIALLED} connections are open in a tunnel`]);
    expect(inside(heard).filter((line) => line === 'closed null end')).toHaveLength(MAX_DIALLED + 2);
  });
});

describe('nothing is made of', () => {
  it.each<[string, Sent[]]>([
    ['an address that is none', [S(2, 2, 'tcp/a b:80'), S(2, 1, 'x')]],
    ['another network', [S(2, 2, 'unix//run/docker.sock'), S(2, 1, 'x')]],
    ['data of a connection from before the capture', [S(2, 1, REQUEST)]],
    ['a type that there is not', [S(2, 9, KUBELET)]],
    ['numbers without end', [['server', webSocket(new Uint8Array(60).fill(0xff))]]],
    ['half a head', [['server', webSocket(dialerMessage(2, 2, '').subarray(0, 5))]]],
    ['an empty message', [['server', webSocket(new Uint8Array(0))]]],
    ['text', [['server', webSocket(dialerMessage(2, 2, KUBELET), { opcode: 1 })]]],
    ['compressed messages', [['server', webSocket(dialerMessage(2, 2, KUBELET), { rsv: 0x40 })]]],
    ['an address of 300 bytes', [S(2, 2, `tcp/${'a'.repeat(300)}:80`)]],
  ])('%s', (_, sent) => {
    const heard = read(sent);
    expect(heard.tunnelled).toEqual([]);
    expect(heard.pieces.every(({ channel }) => channel === null)).toBe(true);
  });

  it('a tunnel inside a tunnel, or a WebSocket of Kubernetes', () => {
    expect(read(LOG, { ...CONNECTION, id: 1.5 }).tunnelled).toEqual([]);
    expect(heardOf(new WebSocketChannels('v5.channel.k8s.io', '', CONNECTION), LOG).tunnelled).toEqual([]);
  });
});
