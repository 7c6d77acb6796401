import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { c, fin, OPEN, rst, s, segmentsOf, syn, word } from '../../test/kit/tcp-kit.js';
import { streamDigest } from './digest.js';
import { tcpReassembler } from './reassembler.js';

const md5 = () => createHash('md5');

function digest(drafts: Parameters<typeof segmentsOf>[0], newHash: Parameters<typeof streamDigest>[0] = md5) {
  const tcp = tcpReassembler();
  const tap = streamDigest(newHash);
  const events = [...segmentsOf(drafts).flatMap((segment) => [...tcp.feed(segment)]), ...tcp.end()];
  const out = [...events.flatMap((event) => [...tap.feed(event)]), ...tap.end()];
  return { events, out, said: out.find((event) => event.kind === 'stream-bytes') };
}

describe('streamDigest', () => {
  // From RFC 1321, appendix A.5.
  const EMPTY = 'd41d8cd98f00b204e9800998ecf8427e';
  const ABC = '900150983cd24fb0d6963f7d28e17f72';
  const ALPHABET = 'c3fcd3d76192e4007dfb496cca67e13b';

  it('emits bytes and MD5 of each direction', () => {
    const { said } = digest([...OPEN, c(0, 'a'), c(1, 'bc'), s(0, 'abcdefghijklm'), s(13, 'nopqrstuvwxyz')]);
    expect(said).toMatchObject({ bytes: { client: 3, server: 26 }, md5: { client: ABC, server: ALPHABET } });
  });

  it('leaves gaps out', () => {
    const { said } = digest([...OPEN, c(0, 'a', { missing: 5 }), c(6, 'bc')]);
    expect(said).toMatchObject({ bytes: { client: 3, server: 0 }, md5: { client: ABC, server: EMPTY } });
  });

  it('reports connections without bytes too', () => {
    const { said } = digest([syn(), rst(c, 0)]);
    expect(said).toMatchObject({ bytes: { client: 0, server: 0 }, md5: { client: EMPTY, server: EMPTY } });
  });

  it('only counts if no hash is requested', () => {
    expect(digest([...OPEN, c(0, 'abc')], null).said).toMatchObject({ bytes: { client: 3, server: 0 }, md5: null });
  });

  it('passes the same objects on, and reports just before the end of the connection', () => {
    const { events, out } = digest([...OPEN, c(0, 'abc'), fin(c, 3), fin(s, 0, { ack: 4 })]);
    expect(out.filter((event) => event.kind !== 'stream-bytes')).toEqual(events);
    expect(out.filter((event) => event.kind !== 'stream-bytes').every((event, i) => event === events[i])).toBe(true);
    expect(out.map(word)).toEqual(['open 1', 'client abc', 'client fin', 'server fin', 'stream-bytes', 'closed fin']);
  });
});
