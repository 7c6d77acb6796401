import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HELLO_RETRY, RESUMED_0RTT, SIMPLE_1RTT } from '../../test/kit/rfc8448.js';
import { extension, hello, message } from '../../test/kit/tls-peers.js';
import { clientHello, encryptedExtensions, MessageReader, ownCertificate, serverHello } from './handshake.js';

/** Body of the handshake message in a record of RFC 8448. */
function body(trace: typeof SIMPLE_1RTT, piece: number): Uint8Array {
  return Buffer.from(trace.pieces[piece].hex, 'hex').subarray(5 + 4);
}

function messages(reader: MessageReader, pieces: readonly Uint8Array[]) {
  const found: [number, number][] = [];
  for (const piece of pieces) {
    const lent = new Uint8Array(piece);
    reader.push(lent);
    lent.fill(0xee);
    while (reader.next()) found.push([reader.type, reader.body.length]);
  }
  return found;
}

describe('hellos of RFC 8448', () => {
  it('section 3: random, server name', () => {
    const client = clientHello(body(SIMPLE_1RTT, 0));
    expect(client).toMatchObject({ sni: 'server', earlyData: false });
    expect(Buffer.from(client!.random).toString('hex')).toMatch(/^cb34ecb1.*024dece7$/);
    const server = serverHello(body(SIMPLE_1RTT, 1));
    expect(server).toMatchObject({ version: 0x0304, suite: 0x1301, retry: false, compression: 0, alpn: null });
  });

  it('section 4: offers early data', () => {
    expect(clientHello(body(RESUMED_0RTT, 0))).toMatchObject({ earlyData: true });
  });

  it('section 5: requests a retry', () => {
    expect(serverHello(body(HELLO_RETRY, 1))).toMatchObject({ retry: true, version: 0x0304 });
    expect(serverHello(body(HELLO_RETRY, 3))).toMatchObject({ retry: false });
  });

  it('every shorter one is no exception', () => {
    const [client, server] = [body(RESUMED_0RTT, 0), body(SIMPLE_1RTT, 1)];
    for (let n = 0; n < client.length; n += 1) {
      expect(() => clientHello(client.subarray(0, n))).not.toThrow();
      expect(() => serverHello(server.subarray(0, n))).not.toThrow();
    }
    expect(clientHello(client.subarray(0, 34))).toBeNull();
    expect(serverHello(server.subarray(0, 34))).toBeNull();
  });

  it('nor is anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        clientHello(bytes);
        serverHello(bytes);
        encryptedExtensions(bytes);
      }),
    );
  });
});

describe('Certificate', () => {
  const der = Buffer.from('not looked at');
  const entry = (tail: string): Buffer =>
    Buffer.concat([Buffer.from([0, 0, der.length]), der, Buffer.from(tail, 'hex')]);
  const list = (...entries: readonly Buffer[]): Buffer => {
    const all = Buffer.concat(entries);
    return Buffer.concat([Buffer.from([0, 0, all.length]), all]);
  };

  it('of TLS 1.2 and 1.3: the first one is the sender’s own', () => {
    expect(ownCertificate(list(entry(''), entry('')), '1.2')).toEqual(der);
    expect(ownCertificate(Buffer.concat([Buffer.from([0]), list(entry('0000'), entry('0000'))]), '1.3')).toEqual(der);
    // In answer to a request after the handshake, which has a context.
    expect(ownCertificate(Buffer.concat([Buffer.from([2, 9, 9]), list(entry('0000'))]), '1.3')).toEqual(der);
  });

  it('that has none, or is cut', () => {
    expect(ownCertificate(list(), '1.2')).toBeNull();
    expect(ownCertificate(Buffer.from([0, 0, 0, 0]), '1.3')).toBeNull();
    const whole = list(entry(''));
    for (let n = 0; n < whole.length; n += 1) expect(ownCertificate(whole.subarray(0, n), '1.2')).toBeNull();
    for (let n = 0; n < whole.length; n += 1) expect(() => ownCertificate(whole.subarray(0, n), '1.3')).not.toThrow();
  });
});

describe('extensions', () => {
  const suite = Buffer.from([0xc0, 0x2f, 0]);

  it('ServerHello of TLS 1.2', () => {
    const bytes = hello(2, Buffer.alloc(32, 9), suite, [
      extension(22, Buffer.alloc(0)),
      extension(16, Buffer.from('\x00\x09\x08http/1.1', 'latin1')),
    ]).subarray(4);
    expect(serverHello(bytes)).toMatchObject({
      version: 0x0303,
      suite: 0xc02f,
      encryptThenMac: true,
      alpn: 'http/1.1',
    });
  });

  it('without any', () => {
    expect(serverHello(Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(33), suite]))).toMatchObject({ alpn: null });
  });

  it('EncryptedExtensions', () => {
    const alpn = extension(16, Buffer.from('\x00\x03\x02h2', 'latin1'));
    const early = extension(42, Buffer.alloc(0));
    const bytes = Buffer.concat([Buffer.from([0, alpn.length + early.length]), alpn, early]);
    expect(encryptedExtensions(bytes)).toEqual({ alpn: 'h2', earlyData: true });
    expect(encryptedExtensions(Buffer.from([0, 0]))).toEqual({ alpn: null, earlyData: false });
  });
});

describe('MessageReader', () => {
  const stream = Buffer.concat([
    message(1, Buffer.alloc(300)),
    message(15, Buffer.alloc(5000)),
    message(24, Buffer.from([0])),
    message(20, Buffer.alloc(32)),
    message(14, Buffer.alloc(0)),
  ]);
  const expected = [
    [1, 300],
    [15, 0],
    [24, 1],
    [20, 32],
    [14, 0],
  ];

  it('reads several messages of one record and skips the bodies of others', () => {
    expect(messages(new MessageReader(), [stream])).toEqual(expected);
  });

  it('reads a message over several records, byte by byte too', () => {
    expect(
      messages(
        new MessageReader(),
        [...stream].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(expected);
    expect(messages(new MessageReader(), [stream.subarray(0, 2000), stream.subarray(2000)])).toEqual(expected);
  });

  it('is at a Finished when all of it has come', () => {
    const reader = new MessageReader();
    const finished = message(20, Buffer.alloc(32));
    expect(messages(reader, [finished.subarray(0, 10)])).toEqual([]);
    expect(messages(reader, [finished.subarray(10)])).toEqual([[20, 32]]);
  });

  it('does not keep a message longer than its limit', () => {
    const reader = new MessageReader();
    expect(messages(reader, [message(1, Buffer.alloc(100_000)), message(24, Buffer.from([1]))])).toEqual([
      [1, 0],
      [24, 1],
    ]);
  });

  it('starts again after a loss', () => {
    const reader = new MessageReader();
    messages(reader, [stream.subarray(0, 1000)]);
    reader.reset();
    expect(messages(reader, [message(24, Buffer.from([0]))])).toEqual([[24, 1]]);
  });
});
