// Scores a late start: the same recording read from its middle on, beside the whole of it, by the requests that both have.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureOf, FILE_HEADER } from '../../scripts/bench/packets.js';
import { printedMessages, readRecording } from './score.js';
import { pathOf, readFile } from './truth.js';

/**
 * @param fraction of the packets that is cut off, from 0 to 1.
 * @returns the whole recording and the late one, with the truth about the requests that were found in both.
 */
export async function readLateStart(folder, fraction, options) {
  const whole = await readRecording(folder, options);
  const messages = await lateMessages(folder, fraction, options);
  const [inWhole, inLate] = [auditIdsOf(whole.messages), auditIdsOf(messages)];
  const truth = whole.truth.filter(({ auditId }) => inWhole.has(auditId) && inLate.has(auditId));
  return [whole.messages, messages].map((rows) => ({ messages: rows, truth }));
}

async function lateMessages(folder, fraction, { kubeseq } = {}) {
  const temporary = mkdtempSync(join(tmpdir(), 'kubeseq-late-'));
  try {
    const late = join(temporary, 'capture.pcap');
    writeFileSync(late, withoutFirst(readFile(folder, 'capture.pcap'), fraction));
    return await printedMessages(late, pathOf(folder, 'keys.log'), kubeseq);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

function withoutFirst(bytes, fraction) {
  const { packets } = captureOf(bytes);
  const start = packets[Math.floor(packets.length * fraction)];
  return Buffer.concat([bytes.subarray(0, FILE_HEADER), bytes.subarray(start)]);
}

/** Of requests whose response was read, too. */
function auditIdsOf(messages) {
  const requests = new Set(messages.filter(({ kind }) => kind === 'request').map(({ exchange }) => exchange));
  return new Set(messages.filter(({ exchange }) => requests.has(exchange)).flatMap(({ auditId }) => auditId ?? []));
}
