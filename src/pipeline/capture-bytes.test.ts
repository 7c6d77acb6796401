import { setTimeout } from 'node:timers/promises';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { conversation, packets, pcap } from '../../test/kit/packetiser.js';
import type { CaptureItem } from '../capture/log.js';
import { concat } from '../core/bytes/bytes.js';
import { open, readItems } from './capture-bytes.js';

const PACKETS = packets(conversation([{ from: 'client', bytes: 'x'.repeat(3000) }]));
const WHOLE = pcap(PACKETS);
const GZIPPED = gzipSync(WHOLE);

describe('gzipped captures', () => {
  it('are read whole, in one member or several, without a notice', async () => {
    for (const gz of [GZIPPED, concat([gzipSync(WHOLE.subarray(0, 1000)), gzipSync(WHOLE.subarray(1000))])]) {
      const items = await read(gz);
      expect(items.filter(({ kind }) => kind === 'frame')).toHaveLength(PACKETS.length);
      expect(items.filter(({ kind }) => kind === 'notice')).toEqual([]);
      expect(items.at(-1)).toMatchObject({ kind: 'capture-report', truncated: false });
    }
  });

  it('are cut even if a record ends at the end of the gzip data', async () => {
    const records = pcap(PACKETS.slice(0, 4));
    const flushed = deflateRawSync(records, { finishFlush: constants.Z_SYNC_FLUSH });
    const items = await read(concat([GZIPPED.subarray(0, 10), flushed]));
    expect(items.filter(({ kind }) => kind === 'frame')).toHaveLength(4);
    expect(notices(items)).toEqual(['capture.truncated: the end of the gzip data is missing']);
    expect(items.at(-1)).toMatchObject({ kind: 'capture-report', frames: 4, truncated: true });
  });

  it('may be cut anywhere: all that can be inflated is read, with one notice', async () => {
    for (let cut = 10; cut < GZIPPED.length; cut += 1) {
      const items = await read(GZIPPED.subarray(0, cut));
      const frames = items.filter(({ kind }) => kind === 'frame').length;
      expect(notices(items)).toEqual([expect.stringMatching(/^capture\.truncated: /)]);
      expect(items.at(-1)).toMatchObject({ frames, truncated: true });
      // The trailer has 8 bytes.
      if (cut >= GZIPPED.length - 8) expect(frames).toBe(PACKETS.length);
    }
  });

  it('lose nothing to a reader that takes its time', async () => {
    const long = concat([WHOLE, ...new Array<Uint8Array>(400).fill(WHOLE.subarray(24))]);
    const gz = gzipSync(long);
    const items = await read(gz.subarray(0, gz.length - 8), 20);
    expect(items.filter(({ kind }) => kind === 'frame')).toHaveLength(401 * PACKETS.length);
    expect(notices(items)).toEqual(['capture.truncated: the end of the gzip data is missing']);
  });
});

/** @param pause ms that the reader takes between batches. */
async function read(bytes: Uint8Array, pause = 0): Promise<CaptureItem[]> {
  const source = (async function* () {
    for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
  })();
  const items: CaptureItem[] = [];
  for await (const batch of readItems((await open(source)).bytes, 0)) {
    items.push(...batch);
    if (pause > 0) await setTimeout(pause);
  }
  return items;
}

function notices(items: readonly CaptureItem[]): string[] {
  return items.filter((item) => item.kind === 'notice').map(({ code, detail }) => `${code}: ${detail}`);
}
