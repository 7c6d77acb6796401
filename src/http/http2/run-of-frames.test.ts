import { describe, expect, it } from 'vitest';
import { data, frame, getRoot, headers, ping, settingsAck } from '../../../test/kit/http2-kit.js';
import { measured } from '../../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../../test/kit/powers.js';
import { beginsHttp2, holdsHttp2 } from './detect.js';

const windowUpdate = (stream: number, increment = 65_535) => {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return frame(8, 0, stream, payload);
};
const text = Buffer.alloc(100, 98);
const grpc = (length: number) => {
  const payload = Buffer.alloc(5 + length, 7);
  payload[0] = 0;
  payload.writeUInt32BE(length, 1);
  return frame(0, 0, 7, payload);
};

describe('what proves HTTP/2 in the middle of a connection', () => {
  it.each([
    ['a window update that is all', [windowUpdate(0)]],
    ['two of them behind something', [text, windowUpdate(0), windowUpdate(5)]],
    ['a message of gRPC', [grpc(20)]],
    ['a message of gRPC that is not all there', [grpc(2000).subarray(0, 1000)]],
    ['an object in protobuf', [frame(0, 0, 5, Buffer.from('k8s\0\n\x09\n\x02v1', 'latin1'))]],
    ['bodies of anything, one after the other', [text, data(5, 'a'), data(7, 'b'), data(9, 'c')]],
    ['a request', [text, headers(7, getRoot, true)]],
    ['settings', [text, frame(4, 0, 0, Buffer.from('000300000064', 'hex'))]],
    ['a GOAWAY', [text, frame(7, 0, 0, Buffer.from('0000000700000000', 'hex'))]],
  ] as [string, Buffer[]][])('%s', (_, parts) => expect(holdsHttp2(Buffer.concat(parts))).toBe(true));

  it.each([
    ['nothing', []],
    ['zeros', [Buffer.alloc(5000)]],
    ['an acknowledgement of settings alone', [settingsAck]],
    ['a window update of nothing', [windowUpdate(0, 0)]],
    ['unknown settings', [frame(4, 0, 0, Buffer.from('0a0a00000064', 'hex'))]],
    ['two bodies of anything behind something', [text, data(5, 'a'), data(7, 'b')]],
    ['one on a stream far away', [data(0x12345679, 'anything')]],
    ['a header that claims more than there is', [frame(0, 0, 5, Buffer.alloc(900)).subarray(0, 14)]],
  ] as [string, Buffer[]][])('not %s', (_, parts) => expect(holdsHttp2(Buffer.concat(parts))).toBe(false));

  it('from the first byte on, or from anywhere', () => {
    const bytes = Buffer.concat([text, ping, ping]);
    expect([beginsHttp2(bytes), holdsHttp2(bytes)]).toEqual([false, true]);
  });

  measured('takes linear time, however many runs begin', () => {
    // Each header begins a run that goes on to the end, and the end refutes it.
    const run = (n: number) => {
      const bytes = Buffer.concat([...new Array(n).fill(headers(5, Buffer.from([0xbe]))), frame(77, 0, 0), text]);
      return () => holdsHttp2(bytes);
    };
    expect(powerOf(run, 1000)).toBeLessThan(LINEAR);
  });
});
