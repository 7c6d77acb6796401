import { describe, expect, it } from 'vitest';
import { latin, MASK, webSocket } from '../../../test/kit/channel-kit.js';
import { originOf } from '../../../test/kit/http1-kit.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import { eventFrameIn, midSessionWatch } from './mid-session-watch.js';

const CONNECTION = { name: 'a-b', roles: 'port' } as unknown as Connection;
const event = (size: number): Uint8Array =>
  webSocket(latin(`{"type":"ADDED","x":"${'x'.repeat(size)}"}`), { opcode: 1 });
const NONE = new Uint8Array();

describe('a frame that holds a watch event', () => {
  it.each([
    ['with a length of one byte', event(10), 0],
    ['of two', event(500), 0],
    ['of eight', event(70_000), 0],
    ['behind others', Buffer.concat([webSocket(latin('end"}'), { opcode: 1 }), event(10)]), 7],
    ['in CBOR', webSocket(latin('\xd9\xd9\xf7\xa2Dtype'), { opcode: 2 }), 0],
    ['none: an event in a chunk', latin('2b\r\n{"type":"ADDED","object":{}}'), -1],
    ['none: an event inside an event', latin('\x81\x7e\x01\x00x{"type":"ADDED"'), -1],
    ['none: an impossible length', latin('\x81\x7e\x00\x05{"type":"ADDED"'), -1],
    ['none: CBOR as text', webSocket(latin('\xd9\xd9\xf7\xa2Dtype'), { opcode: 1 }), -1],
    ['none: nothing', NONE, -1],
    ['none: the event alone', latin('{"type":"ADDED"'), -1],
  ])('%s', (_, bytes, at) => expect(eventFrameIn(Uint8Array.from(bytes))).toBe(at));

  it('is looked for only where the beginning is missing, and only of the server', () => {
    const bytes = event(10);
    expect(midSessionWatch.detect({ client: NONE, server: bytes }, false)).toBe('yes');
    expect(midSessionWatch.detect({ client: NONE, server: bytes }, true)).toBe('no');
    expect(midSessionWatch.detect({ client: bytes, server: NONE }, false)).toBe('more');
  });
});

/** Words for what the reader says: frames of the head, sizes of bodies and of what is unread. */
function read(...steps: readonly (readonly [Side, Uint8Array | number | null])[]): string[] {
  const stage = midSessionWatch.open(CONNECTION);
  const said = steps.flatMap(([from, what], i) => {
    const origin = originOf(i + 1);
    return typeof what === 'object' && what !== null
      ? stage.feed({ kind: 'data', connection: CONNECTION, from, bytes: what, origin })
      : stage.feed({ kind: 'gap', connection: CONNECTION, from, length: what, origin });
  });
  return [...said, ...stage.end()].map((item) => {
    if (item.kind === 'head') return `head ${item.first.frame}`;
    if (item.kind === 'body') return `body ${item.bytes.length}`;
    if (item.kind === 'body-gap') return `gap ${item.length}`;
    if (item.kind === 'unread') return `unread ${item.from} ${item.length}`;
    return item.kind === 'notice' ? item.code : item.kind;
  });
}

describe('a watch that was opened before the capture', () => {
  const [short] = [event(10)];
  const size = short.length - 2;

  it('is read from the next event on', () => {
    const rest = latin('of an event"}');
    expect(read(['server', rest], ['server', Buffer.concat([latin('"}'), short])], ['server', short])).toEqual([
      'unread server 13',
      'unread server 2',
      'head 2',
      `body ${size}`,
      `body ${size}`,
      'end',
    ]);
  });

  it('a gap inside an event, and one between events', () => {
    const cut = short.subarray(0, 12);
    const end = short.subarray(16);
    expect(
      read(['server', cut], ['server', 4], ['server', end], ['server', 7], ['server', end], ['server', short]),
    ).toEqual([
      'head 1',
      'body 10',
      'gap 4',
      `body ${end.length}`,
      'http.malformed',
      'gap null',
      `unread server ${end.length}`,
      `body ${size}`,
      'end',
    ]);
  });

  it('ignores pongs of the client and counts its other bytes', () => {
    const pong = webSocket(latin('p'), { opcode: 10, mask: MASK });
    const text = webSocket(latin('abc'), { opcode: 1, mask: MASK });
    expect(read(['server', short], ['client', pong], ['client', text])).toEqual([
      'head 1',
      `body ${size}`,
      'unread client 3',
      'end',
    ]);
  });
});
