// Decodes the Huffman code of HPACK (RFC 7541, section 5.2 and Appendix B) with a state machine that reads four bits at a time.

import { latin1 } from '../../core/bytes/bytes.js';

/**
 * Decodes `bytes[start … end)` into `out`, which must have room for `huffmanBound(end - start)` bytes.
 * @returns bytes written; -1 for a malformed code: with the EOS symbol, or padding of more than seven bits or of other bits than those
 *   of EOS (RFC 7541, 5.2).
 */
export function huffmanDecode(bytes: Uint8Array, start: number, end: number, out: Uint8Array): number {
  machine ??= buildMachine();
  const { transitions, accepting } = machine;
  let state = 0;
  let length = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    const high = transitions[(state << 4) | (byte >> 4)];
    if ((high & EMITS) !== 0) out[length++] = (high >> SYMBOL_SHIFT) & 0xff;
    const low = transitions[((high & STATE) << 4) | (byte & 15)];
    if ((low & EMITS) !== 0) out[length++] = (low >> SYMBOL_SHIFT) & 0xff;
    if (((high | low) & FAILS) !== 0) return -1;
    state = low & STATE;
  }
  return accepting[state] === 1 ? length : -1;
}

/** Upper bound of the decoded bytes of `length` bytes of code: the shortest symbols have five bits. */
export function huffmanBound(length: number): number {
  return Math.floor((length * 8) / 5);
}

// Lengths in bits of the codes of symbols 0 … 255 and EOS. The code is canonical: codes of one length are consecutive in the order of
// their symbols, so the lengths define it.
const CODE_LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
];

const EOS = 256;

/** Codes of symbols 0 … 256, right-aligned (RFC 7541, Appendix B, column "code as hex"); for tests and encoders in tests. */
export function huffmanCodes(): readonly { readonly code: number; readonly bits: number }[] {
  const codes = CODE_LENGTHS.map((bits) => ({ code: 0, bits }));
  let next = 0;
  for (let bits = 1; bits <= 30; bits++) {
    next *= 2;
    for (const symbol of codes) if (symbol.bits === bits) symbol.code = next++;
  }
  return codes;
}

// A transition:  | fails 1 | emits 1 | symbol 8 | state 8 |
// A state is one of the 256 inner nodes of the code tree with 257 leaves; the root is 0.
const STATE = 0xff;
const SYMBOL_SHIFT = 8;
const EMITS = 1 << 16;
const FAILS = 1 << 17;

interface HuffmanMachine {
  /** 16 of each state, one for each value of four bits. */
  readonly transitions: Uint32Array;
  /** 1 for a state in which a literal may end. */
  readonly accepting: Uint8Array;
}

/** Built for the first literal: most captures of plaintext have none. */
let machine: HuffmanMachine | undefined;

function buildMachine(): HuffmanMachine {
  // children[2 * node + bit]: an inner node (>= 0) or a leaf (-1 - symbol).
  const children = new Int32Array(512);
  let nodes = 1;
  huffmanCodes().forEach(({ code, bits }, symbol) => {
    let node = 0;
    for (let bit = bits - 1; bit > 0; bit--) {
      const at = 2 * node + ((code >>> bit) & 1);
      if (children[at] === 0) children[at] = nodes++;
      node = children[at];
    }
    children[2 * node + (code & 1)] = -1 - symbol;
  });
  const transitions = new Uint32Array(nodes * 16);
  for (let node = 0; node < nodes; node++) {
    for (let nibble = 0; nibble < 16; nibble++) transitions[node * 16 + nibble] = transition(children, node, nibble);
  }
  // Accepting states are the root and those that up to seven bits of padding, all ones, reach from it.
  const accepting = new Uint8Array(nodes);
  let node = 0;
  for (let bits = 0; bits <= 7; bits++) {
    accepting[node] = 1;
    node = children[2 * node + 1];
  }
  return { transitions, accepting };
}

function transition(children: Int32Array, from: number, nibble: number): number {
  let node = from;
  let emitted = 0;
  for (let bit = 3; bit >= 0; bit--) {
    node = children[2 * node + ((nibble >> bit) & 1)];
    if (node >= 0) continue;
    const symbol = -1 - node;
    if (symbol === EOS) return FAILS;
    // The shortest code has five bits, so four bits never end two symbols.
    emitted = EMITS | (symbol << SYMBOL_SHIFT);
    node = 0;
  }
  return emitted | node;
}

/** Text of the code in `bytes[start, end)`, one character a byte; null if it is malformed. */
export function huffmanText(bytes: Uint8Array, start: number, end: number): string | null {
  const room = huffmanBound(end - start);
  if (room > scratch.length) scratch = new Uint8Array(Math.max(room, scratch.length * 2));
  const written = huffmanDecode(bytes, start, end, scratch);
  return written < 0 ? null : latin1(scratch, 0, written);
}

// Decoded bytes of a literal, reused for the next one. Grows to 8/5 of the longest literal at most, which the limit of a header block
// bounds.
let scratch = new Uint8Array(4096);
