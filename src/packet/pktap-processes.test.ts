import { expect, it } from 'vitest';
import { conversation, frames, type Packet, packets, segments } from '../../test/kit/packetiser.js';
import { packetDecoder } from './packet-decoder.js';
import { PktapProcesses } from './pktap-processes.js';

/** tcpdump.org/linktypes/LINKTYPE_PKTAP.html: 156 bytes before an Ethernet frame. */
function pktap(packet: Packet, flags: number, pid: number, name: string): Packet {
  const header = Buffer.alloc(156);
  header.writeUInt32LE(156, 0);
  header.writeUInt32LE(1, 8);
  header.writeUInt32LE(flags, 36);
  header.writeInt32LE(pid, 52);
  header.write(name, 56, 'latin1');
  return { ...packet, bytes: new Uint8Array(Buffer.concat([header, packet.bytes])) };
}

const SENT = conversation([
  { from: 'client', bytes: 'GET / HTTP/1.1\r\n\r\n' },
  { from: 'server', bytes: 'HTTP/1.1 200 OK\r\n\r\n' },
]);

/** Who was noted at which end, once each. */
function noted(flagsOf: (isFromClient: boolean) => number, pid = 42, name = 'kubectl'): string[] {
  const processes = new PktapProcesses();
  const list = packets(SENT).map((one, i) => pktap(one, flagsOf(SENT[i].source.port === 40000), pid, name));
  const expected = segments(SENT);
  const notes = frames(list, 258).map((frame, i) => {
    const segment = packetDecoder().read(frame)!;
    // The packet after the header is read as any other.
    expect(Buffer.from(segment.payload)).toEqual(Buffer.from(expected[i].payload));
    const note = processes.noteOf(frame, segment);
    return note === null ? null : `${segment.flow[note.end].address} ${note.process.command}[${note.process.pid}]`;
  });
  return [...new Set(notes.filter((one) => one !== null))];
}

it.each<[string, (isFromClient: boolean) => number, string[]]>([
  ["the client's host", (isFromClient) => (isFromClient ? 2 : 1), ['192.0.2.1 kubectl[42]']],
  ["the server's host", (isFromClient) => (isFromClient ? 1 : 2), ['192.0.2.2 kubectl[42]']],
  ['no direction was set: the one that began the connection', () => 0, ['192.0.2.1 kubectl[42]']],
])('%s', (_, flagsOf, who) => expect(noted(flagsOf)).toEqual(who));

it.each<[string, number, string]>([
  ['no process', 0, 'kernel_task'],
  ['none', -1, ''],
  ['a name that was cut', 42, 'kube-controller-'],
  ['a name that is none', 42, 'a b\x1b[2J'],
])('%s is noted nowhere', (_, pid, name) => expect(noted(() => 0, pid, name)).toEqual([]));

it('headers of any length, and none inside each other, are read without an exception', () => {
  const [{ bytes }] = packets(SENT).map((one) => pktap(one, 2, 42, 'kubectl'));
  for (const length of [0, 1, 107, 108, 156, 157, 0xffffffff]) {
    const broken = Uint8Array.from(bytes);
    new DataView(broken.buffer).setUint32(0, length, true);
    for (const end of [0, 50, 108, 170, broken.length])
      for (const type of [258, 239]) {
        const [frame] = frames([{ time: 0n, bytes: broken.subarray(0, end) }], type);
        expect(() => packetDecoder().read(frame)).not.toThrow();
      }
  }
});
