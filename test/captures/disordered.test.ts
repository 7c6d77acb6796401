// Captures whose packets are not in the order of their times: of two interfaces with a direction each, of several queues.
// They say what the capture in order says; a byte is not lost because it comes behind its acknowledgment.

import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { fixture } from '../kit/fixtures.js';
import { observed, recordsOf, withRecords } from '../kit/observed.js';

const SLL = 113;
const HEADERS: Readonly<Record<number, number>> = { 1: 14, [SLL]: 16, 276: 20 };

interface Captured {
  readonly bytes: Uint8Array;
  /** Microseconds. */
  readonly time: number;
  readonly isToServer: boolean;
}

function recordsWithTimes(file: Uint8Array): Captured[] {
  const link = new DataView(file.buffer, file.byteOffset).getUint32(20, true);
  return recordsOf(file).map((bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const ip = 16 + HEADERS[link];
    const tcp = ip + (bytes[ip] >> 4 === 6 ? 40 : (bytes[ip] & 15) * 4);
    const time = view.getUint32(0, true) * 1e6 + view.getUint32(4, true);
    return { bytes, time, isToServer: view.getUint16(tcp) > view.getUint16(tcp + 2) };
  });
}

/** As the kernel hands over the packets of two interfaces, block by block; those from servers came in at the first. */
function inBlocks(file: Uint8Array, milliseconds: number): Buffer {
  const block = ({ time }: Captured): number => Math.floor(time / (milliseconds * 1000));
  const sorted = recordsWithTimes(file).sort(
    (a, b) => block(a) - block(b) || Number(a.isToServer) - Number(b.isToServer),
  );
  return withRecords(
    file,
    sorted.map(({ bytes }) => bytes),
  );
}

/** Of two interfaces or hosts, merged by time, where the clock that saw the servers is ahead: answers stand before what they answer. */
function merged(file: Uint8Array, milliseconds: number): Buffer {
  const sorted = recordsWithTimes(file)
    .map((one) => ({ ...one, time: one.time - (one.isToServer ? 0 : milliseconds * 1000) }))
    .sort((a, b) => a.time - b.time);
  const records = sorted.map(({ bytes, time }) => {
    const record = Buffer.from(bytes);
    record.writeUInt32LE(Math.floor(time / 1e6), 0);
    record.writeUInt32LE(time % 1e6, 4);
    return record;
  });
  return withRecords(file, records);
}

function said(messages: readonly Message[]): string[] {
  // Which side ended a connection first is known by the order of the directions alone.
  return messages
    .filter(({ kind }) => kind !== 'end')
    .map(({ connection, stream, kind, label, target, status, type, object, bytes, complete }) =>
      [
        connection,
        stream,
        kind,
        label,
        target,
        status,
        type,
        object?.uid,
        object?.resourceVersion,
        bytes,
        complete,
      ].join(),
    )
    .sort();
}

/** Of each exchange whose request and response were told, whether in this order, and who is said to have caused the response. */
function answers(messages: readonly Message[]): string[] {
  const requests = new Map<number, Message>();
  return messages.flatMap((message) => {
    if (message.kind === 'request') requests.set(message.exchange, message);
    if (message.kind !== 'response') return [];
    return [`${message.causedBy === requests.get(message.exchange)?.seq} ${(message.latencyMs ?? 0) >= 0}`];
  });
}

describe.each([
  ['run-nginx-http1/capture.pcap', null],
  ['docker-engine-api/capture.pcap', null],
  ['throttle-tls/capture.pcap', 'throttle-tls/keys.log'],
  ['exec-logs-portforward-tls/capture.pcap', 'exec-logs-portforward-tls/keys.log'],
  ['boot-etcd-tls/capture.pcap', 'boot-etcd-tls/keys.log'],
])('%s', (name, keys) => {
  const file = fixture(name);
  const options = { keyLogs: keys === null ? [] : [Buffer.from(fixture(keys)).toString('latin1')] };

  it('with its directions in blocks of 250 ms and of 750 ms has the same messages', async () => {
    const whole = await observed([file], options);
    const codes = whole.notices.map(({ code }) => code).sort();
    for (const milliseconds of [250, 750]) {
      const { messages, notices } = await observed([inBlocks(file, milliseconds)], options);
      expect(said(messages)).toEqual(said(whole.messages));
      expect(notices.map(({ code }) => code).sort()).toEqual(codes);
    }
  });

  it.each([5, 500])('merged by clocks that are %d ms apart: no answer before its request', async (milliseconds) => {
    const whole = await observed([file], options);
    const { messages } = await observed([merged(file, milliseconds)], options);
    expect(answers(whole.messages)).toEqual(answers(whole.messages).map(() => 'true true'));
    expect(answers(messages)).toEqual(answers(whole.messages));
  });
});
