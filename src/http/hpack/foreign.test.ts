// Header blocks of three foreign encoders with the fields they stand for (http2jp/hpack-test-case).
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foreign } from '../../../test/kit/foreign.js';
import { hpackDecoder } from './decoder.js';

interface Story {
  cases: { wire: string; header_table_size?: number; headers: Record<string, string>[] }[];
}

const root = foreign('hpack');

function stories(encoder: string): { name: string; story: Story }[] {
  if (root === null) return [];
  return readdirSync(`${root}/${encoder}`).map((name) => ({
    name,
    story: JSON.parse(readFileSync(`${root}/${encoder}/${name}`, 'utf8')) as Story,
  }));
}

describe('blocks of foreign encoders', () => {
  it.skipIf(root === null).each(['go-hpack', 'node-http2-hpack', 'nghttp2-change-table-size'])('%s', (encoder) => {
    let blocks = 0;
    for (const { name, story } of stories(encoder)) {
      const decoder = hpackDecoder({ complete: true });
      for (const { wire, headers } of story.cases) {
        const block = decoder.decode(Buffer.from(wire, 'hex'));
        const expected = headers.flatMap((field) => Object.entries(field)[0]);
        expect(block, name).toMatchObject({ fields: expected, partial: [], problem: null });
        blocks++;
      }
    }
    expect(blocks).toBeGreaterThan(500);
  });
});
