// A real capture in which acknowledgment numbers were damaged: nothing is told as lost that is there.

import { expect, it } from 'vitest';
import { fixture } from '../kit/fixtures.js';
import { observed, recordsOf, withRecords } from '../kit/observed.js';

/** Behind the record's own header and the link's (Linux cooked, version 2). */
const IP = 16 + 20;

it.each([100, 5000, 900_000])('acknowledgments of %d bytes too many, in a segment of each connection', async (more) => {
  const file = fixture('run-nginx-http1/capture.pcap');
  const whole = await observed([file]);
  const seen = new Map<string, number>();
  const records = recordsOf(file).map((record) => {
    const packet = Buffer.from(record);
    const tcp = IP + (packet[IP] & 15) * 4;
    // Between two hosts: what goes over the loopback has no checksums.
    if (packet.readUInt32BE(IP + 12) === packet.readUInt32BE(IP + 16) || (packet[tcp + 13] & 7) !== 0) return packet;
    const flow = packet.toString('latin1', IP + 12, IP + 20) + packet.toString('latin1', tcp, tcp + 4);
    const count = (seen.get(flow) ?? 0) + 1;
    seen.set(flow, count);
    if (count === 6) packet.writeUInt32BE((packet.readUInt32BE(tcp + 8) + more) >>> 0, tcp + 8);
    return packet;
  });
  const { messages, notices } = await observed([withRecords(file, records)]);
  expect([...seen.values()].filter((count) => count > 5).length).toBeGreaterThan(3);
  expect(messages.map(({ label, connection }) => [label, connection])).toEqual(
    whole.messages.map(({ label, connection }) => [label, connection]),
  );
  expect(notices).toEqual(whole.notices);
});
