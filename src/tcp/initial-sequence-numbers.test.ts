import { describe, expect, it } from 'vitest';
import { c, fin, OPEN, rst, s, segmentsOf, syn, synAck, word } from '../../test/kit/tcp-kit.js';
import { FIN, type Segment } from '../packet/segment.js';
import { withNumbers } from './initial-sequence-numbers.js';
import { tcpReassembler } from './reassembler.js';

// The kit's SYNs have 1000 and 5000.
function said(segments: readonly Segment[]): string[] {
  const stage = withNumbers(tcpReassembler());
  return [...segments.flatMap((segment) => [...stage.feed(segment)]), ...stage.end()].map((event) =>
    event.kind === 'numbers' ? `numbers ${event.client} ${event.server} #${event.origin.frame}` : word(event),
  );
}

const numbers = (words: readonly string[]): string[] => words.filter((one) => one.startsWith('numbers'));

describe('the numbers of a connection', () => {
  it('come with the SYN-ACK, and all else as it is', () => {
    const drafts = [...OPEN, c(0, 'ask'), s(0, 'answer', { ack: 3 }), fin(c, 3, { ack: 6 }), fin(s, 6, { ack: 4 })];
    const words = said(segmentsOf(drafts));
    expect(numbers(words)).toEqual(['numbers 1001 5001 #2']);
    const plain = tcpReassembler();
    const without = [...segmentsOf(drafts).flatMap((segment) => [...plain.feed(segment)]), ...plain.end()].map(word);
    expect(words.filter((one) => !one.startsWith('numbers'))).toEqual(without);
  });

  it('come before the first data where no SYN was captured', () => {
    const words = said(segmentsOf([c(7, '', { ack: 9 }), c(7, 'ask', { ack: 9 }), s(9, 'answer', { ack: 10 })]));
    expect(numbers(words)).toEqual(['numbers 1008 5010 #2']);
    expect(words.indexOf('numbers 1008 5010 #2')).toBe(words.indexOf('client ask') - 1);
  });

  it('are the same, whichever side is captured first', () => {
    expect(numbers(said(segmentsOf([s(9, 'answer', { ack: 7 })])))).toEqual(['numbers 1008 5010 #1']);
  });

  it('are not taken from an empty segment: it may be a keep-alive, one byte low', () => {
    expect(numbers(said(segmentsOf([c(6, '', { ack: 9 }), s(9, '', { ack: 7 })])))).toEqual([]);
  });

  it('are taken from a FIN, and from payload that the snap length cut', () => {
    expect(numbers(said(segmentsOf([c(7, '', { ack: 9, flags: FIN })])))).toEqual(['numbers 1008 5010 #1']);
    expect(numbers(said(segmentsOf([c(7, '', { ack: 9, missing: 5 })])))).toEqual(['numbers 1008 5010 #1']);
  });

  it('are emitted once a connection, and not for one that is refused', () => {
    const refused = [syn(), rst(s, 0)];
    const again = [syn({ initial: 4_294_967_295, ms: 9 }), synAck({ peerInitial: 4_294_967_295, ms: 10 })];
    expect(numbers(said(segmentsOf([...refused, ...again])))).toEqual(['numbers 0 5001 #4']);
    expect(numbers(said(segmentsOf([...OPEN, c(0, 'a'), s(0, 'b', { ack: 1 })])))).toHaveLength(1);
  });
});
