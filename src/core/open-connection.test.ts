import { describe, expect, it } from 'vitest';
import {
  handshakeLine,
  type OpenConnection,
  openConnectionLine,
  parseHandshakeUser,
  parseOpenConnection,
} from './open-connection.js';

const READ = { secret: '0d'.repeat(32), nonce: '', record: 557, time: 1_795_512_946_617_233_038n };
const CONNECTION: OpenConnection = {
  processName: 'kube-apiserver[812]',
  side: 'server',
  version: '1.3',
  suite: 0x1301,
  local: { address: '192.0.2.10', port: 6443 },
  remote: { address: '2001:db8::11', port: 46130 },
  read: READ,
  write: { ...READ, secret: '0e'.repeat(48), record: 0, time: 5n },
};
const LINE =
  '# kubeseq open-connection process=kube-apiserver[812] side=server version=1.3 suite=1301 local=192.0.2.10:6443 ' +
  `remote=[2001:db8::11]:46130 read=557@1795512946.617233038:${'0d'.repeat(32)} write=0@0.000000005:${'0e'.repeat(48)}`;

describe('the line of an open connection', () => {
  it('has both secrets, the place and time of each, and the process', () => {
    expect(openConnectionLine(CONNECTION)).toBe(LINE);
    expect(parseOpenConnection(LINE)).toEqual(CONNECTION);
  });

  it.each<[string, Partial<OpenConnection>]>([
    ['one direction', { write: null }],
    ['without addresses', { local: null, remote: null }],
    [
      'TLS 1.2, AES',
      { version: '1.2', suite: 0xc02b, read: { ...READ, secret: '0a'.repeat(16), nonce: '01020304' }, write: null },
    ],
    ['TLS 1.2, ChaCha20', { version: '1.2', suite: 0xcca9, read: { ...READ, nonce: '0f'.repeat(12) }, write: null }],
  ])('%s', (_, changes) => {
    const connection = { ...CONNECTION, ...changes };
    expect(parseOpenConnection(openConnectionLine(connection))).toEqual(connection);
  });

  it('escapes process names: none can end a field or a line', () => {
    const line = openConnectionLine({ ...CONNECTION, processName: 'x read=1@1.1:00\n# evil' });
    expect(line.split('\n')).toHaveLength(1);
    expect(parseOpenConnection(line)).toMatchObject({ processName: 'x_read_1_1.1_00___evil', read: READ });
  });

  it('ignores other lines', () => {
    expect(parseOpenConnection('# a comment')).toBeNull();
    expect(parseOpenConnection(`CLIENT_RANDOM ${'ab'.repeat(32)} ${'cd'.repeat(48)}`)).toBeNull();
  });

  it.each([
    LINE.replace('side=server', 'side=both'),
    LINE.replace('version=1.3', 'version=1.1'),
    LINE.replace('suite=1301', 'suite=13'),
    LINE.replace(/ (?:read|write)=\S+/g, ''),
    LINE.replace('6443', '66443'),
    LINE.replace('557@', '-1@'),
    LINE.replace('0d0d', '0d0g'),
    LINE.replace('version=1.3', 'version=1.2'),
    LINE.replace('0d0d', '0d'),
  ])('%s: meant to be one, and none', (line) => expect(parseOpenConnection(line)).toBeUndefined());

  it('ignores fields of later versions', () => {
    expect(parseOpenConnection(`${LINE} weather=fair`)).toEqual(CONNECTION);
  });
});

describe('the line of who had a handshake', () => {
  const user = { clientRandom: '0a'.repeat(32), processName: 'kubelet[900]' };

  it('is read where it says which end that is', () => {
    const both = { ...user, side: 'client', peerName: 'kube-apiserver[812]' } as const;
    expect(handshakeLine(both)).toBe(`${handshakeLine(user)} side=client peer=kube-apiserver[812]`);
    expect(parseHandshakeUser(handshakeLine(both))).toEqual(both);
    expect(parseHandshakeUser(handshakeLine(user))).toBeNull();
    expect(parseHandshakeUser(handshakeLine({ ...both, peerName: 'x side=server\n# evil' }))?.peerName).toBe(
      'x_side_server___evil',
    );
  });
});
