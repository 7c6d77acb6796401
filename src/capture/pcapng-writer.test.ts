import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import { captureReader } from './capture-reader.js';
import type { Frame } from './frame.js';
import { pcapngDrops, pcapngHead, pcapngPacket } from './pcapng-writer.js';

function framesOf(bytes: Uint8Array) {
  const reader = captureReader({ capture: 0 });
  const items = [...reader.feed(bytes)].map((item) => item);
  return [...items, ...reader.end()];
}

describe('pcapng writer', () => {
  const frames = framesOf(fixture('clients-tls/capture.pcap')).filter((item): item is Frame => item.kind === 'frame');

  it('reads back what it wrote', () => {
    const file = Buffer.concat([pcapngHead(frames[0].linkType), ...frames.map(pcapngPacket)]);
    const again = framesOf(file).filter((item): item is Frame => item.kind === 'frame');
    expect(again.map(({ origin, originalLength, linkType }) => ({ origin, originalLength, linkType }))).toEqual(
      frames.map(({ origin, originalLength, linkType }) => ({ origin, originalLength, linkType })),
    );
    expect(again.every(({ data }, i) => Buffer.compare(data, frames[i].data) === 0)).toBe(true);
    expect(again[0].digits).toBe(9);
  });

  it('writes secrets before the packets and drops behind them', () => {
    const keyLog = 'CLIENT_RANDOM 00 11\n';
    const file = Buffer.concat([pcapngHead(1, { keyLog }), pcapngPacket(frames[0]), pcapngDrops(5n, 4_294_967_299)]);
    const items = framesOf(file);
    expect(items.find((item) => item.kind === 'secrets')).toEqual({ kind: 'secrets', keyLog });
    const notices = items.flatMap((item) => (item.kind === 'notice' ? [`${item.code}: ${item.detail}`] : []));
    expect(notices).toContain('capture.dropped: 4294967299 packets were dropped on interface 0');
  });

  it('writes no statistics if nothing was dropped', () => {
    const items = framesOf(Buffer.concat([pcapngHead(1, { keyLog: '' }), pcapngDrops(5n, 0)]));
    expect(items.filter((item) => item.kind !== 'capture-report')).toEqual([]);
  });
});
