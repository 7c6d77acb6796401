import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { establishedSockets } from './socket-table.js';

// Documentation/networking/proc_net_tcp.rst
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4321 1 0000000000000000 100 0 0 10 0
   1: 0A0200C0:192B 0B0200C0:B432 01 00000000:00000000 02:000A7214 00000000     0        0 98765 2 0000000000000000 20 4 30 10 -1
   2: 0A0200C0:192B 0B0200C0:B433 06 00000000:00000000 03:00000D5C 00000000     0        0 0 3 0000000000000000
`;
const TABLE6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:192B 00000000000000000000000001000000:8288 01 00000000:00000000 00:00000000 00000000     0        0 11 1 0
   1: 0000000000000000FFFF00000A0200C0:192B 0000000000000000FFFF00000C0200C0:C8E4 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0
   2: B80D0120000000000000000011000000:01BB B80D0120000000000000000012000000:C8E4 01 00000000:00000000 00:00000000 00000000     0        0 13 1 0
`;

it('established connections, none that listen or are over', () => {
  expect(establishedSockets(TABLE)).toEqual([
    { local: { address: '192.0.2.10', port: 6443 }, remote: { address: '192.0.2.11', port: 46130 }, inode: 98765 },
  ]);
});

it('IPv6, and IPv4 in it', () => {
  expect(establishedSockets(TABLE6)).toEqual([
    { local: { address: '::1', port: 6443 }, remote: { address: '::1', port: 33416 }, inode: 11 },
    { local: { address: '192.0.2.10', port: 6443 }, remote: { address: '192.0.2.12', port: 51428 }, inode: 12 },
    { local: { address: '2001:db8::11', port: 443 }, remote: { address: '2001:db8::12', port: 51428 }, inode: 13 },
  ]);
});

it('any other text has none', () => {
  expect(establishedSockets('')).toEqual([]);
  expect(establishedSockets('x: 1:2 3:4 01\n 1: ZZ:1 00:2 01 a b c d e 5')).toEqual([]);
});

it.skipIf(process.platform !== 'linux')('finds a connection of this process in the kernel’s own table', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = (server.address() as { port: number }).port;
  const client = createConnection(port, '127.0.0.1');
  await once(client, 'connect');
  const found = establishedSockets(readFileSync('/proc/self/net/tcp', 'latin1'));
  expect(found).toContainEqual({
    local: { address: '127.0.0.1', port: client.localPort },
    remote: { address: '127.0.0.1', port },
    inode: expect.any(Number),
  });
  client.destroy();
  server.close();
});
