// The honesty of HPACK: whatever part of a connection's header blocks was not captured, no field of the rest comes out
// different from what it is; what is not known is marked.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../../test/kit/fixtures.js';
import { foreign } from '../../../test/kit/foreign.js';
import type { PartialField } from '../http-event.js';
import { type HeaderBlock, hpackDecoder } from './decoder.js';

const fromApi = (
  JSON.parse(Buffer.from(fixture('http2/api-header-blocks.json')).toString('utf8')) as { blocks: string[] }[]
).map(({ blocks }) => blocks.map((block) => Buffer.from(block, 'hex')));

const root = foreign('hpack');
const fromOthers =
  root === null
    ? []
    : readdirSync(root).flatMap((encoder) =>
        readdirSync(`${root}/${encoder}`).map((name) =>
          (JSON.parse(readFileSync(`${root}/${encoder}/${name}`, 'utf8')) as { cases: { wire: string }[] }).cases.map(
            ({ wire }) => Buffer.from(wire, 'hex'),
          ),
        ),
      );

function decodeWhole(blocks: readonly Buffer[]): HeaderBlock[] {
  const decoder = hpackDecoder({ complete: true });
  return blocks.map((block) => decoder.decode(block));
}

/** Can the known fields and the partial ones, each in its order, be merged into the true list? */
function agrees(block: HeaderBlock, truth: readonly string[], atField = 0, known = 0, partial = 0): boolean {
  if (atField === truth.length) return known === block.fields.length && partial === block.partial.length;
  const [name, value] = [truth[atField], truth[atField + 1]];
  if (block.fields[known] === name && block.fields[known + 1] === value) {
    if (agrees(block, truth, atField + 2, known + 2, partial)) return true;
  }
  const field: PartialField | undefined = block.partial[partial];
  if (field === undefined || (field.value !== null && field.value !== value)) return false;
  return agrees(block, truth, atField + 2, known, partial + 1);
}

function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

function cutAtRandom(sources: Buffer[][], runs: number): { blocks: number; whole: number } {
  const random = sequence(7541);
  const truths = sources.map(decodeWhole);
  const counted = { blocks: 0, whole: 0 };
  for (let run = 0; run < runs; run++) {
    const which = Math.floor(random() * sources.length);
    const blocks = sources[which];
    const from = Math.floor(random() * blocks.length);
    // In every other run a block in the middle is missed too.
    const missing = run % 2 === 0 ? -1 : from + Math.floor(random() * (blocks.length - from));
    const decoder = hpackDecoder({ complete: false });
    for (let i = from; i < Math.min(blocks.length, from + 40); i++) {
      if (i === missing) {
        decoder.lost();
        continue;
      }
      const block = decoder.decode(blocks[i]);
      const truth = truths[which][i].fields;
      if (block.problem !== null || !agrees(block, truth)) expect({ run, i, block }).toEqual(truth);
      counted.blocks++;
      if (block.partial.length === 0) counted.whole++;
    }
  }
  return counted;
}

describe('HPACK survives any cut', () => {
  it('the blocks of the API server and its clients decode whole from the start', () => {
    for (const blocks of fromApi)
      for (const block of decodeWhole(blocks)) expect(block).toMatchObject({ partial: [], problem: null });
  });

  it('1,000 cuts of Kubernetes connections: no field differs', () => {
    const { blocks, whole } = cutAtRandom(fromApi, 1000);
    expect(blocks).toBeGreaterThan(10_000);
    // The table is learnt again: a good part of the later blocks is whole.
    expect(whole).toBeGreaterThan(blocks / 10);
  });

  it.skipIf(root === null)('1,000 cuts of foreign encoders: no field differs', () => {
    expect(cutAtRandom(fromOthers, 1000).blocks).toBeGreaterThan(5_000);
  });

  it('a slot means the same field wherever it is referred to', () => {
    for (const blocks of fromApi) {
      const truths = decodeWhole(blocks);
      for (const from of [1, 3, 10, 20]) {
        const decoder = hpackDecoder({ complete: false });
        const values = new Map<number, Set<string>>();
        for (let i = from; i < blocks.length; i++) {
          const { fields, partial } = decoder.decode(blocks[i]);
          // One partial field only: what it is follows from what is left of the true list.
          if (partial.length !== 1 || partial[0].value !== null) continue;
          const left = pairsOf(truths[i].fields);
          for (const pair of pairsOf(fields)) left.splice(left.indexOf(pair), 1);
          const seen = values.get(partial[0].slot!) ?? new Set();
          values.set(partial[0].slot!, seen.add(left.join()));
        }
        for (const seen of values.values()) expect(seen.size).toBe(1);
      }
    }
  });
});

function pairsOf(fields: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < fields.length; i += 2) out.push(`${fields[i]}: ${fields[i + 1]}`);
  return out;
}
