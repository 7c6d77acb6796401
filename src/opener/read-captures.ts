// Reads the captures that a reader chose, and keeps their messages for views.

import { blobSources } from '../browser/blob-source.js';
import {
  CaptureReading,
  groupResource,
  missingParts,
  type Notice,
  objectReference,
  SummaryCollector,
  summaryText,
  unreadPlaces,
} from '../index.js';
import { type SortedFiles, UnreadableFiles } from './chosen-files.js';
import { type KeptCaptures, MAX_MESSAGES, MessageKeeper } from './kept-captures.js';
import { MAX_BODY, MAX_DETAILS_BYTES, MAX_MESSAGES_WITH_DETAILS } from './kept-details.js';
import type { Found } from './protocol.js';

export interface ReadingResult {
  readonly found: Found;
  readonly kept: KeptCaptures;
}

/** @param onProgress after each batch: bytes and messages read so far. @throws UnreadableFiles */
export async function readCaptures(
  { captures, keyLogs }: SortedFiles,
  onProgress: (read: number, messages: number) => void,
): Promise<ReadingResult> {
  let bytes = 0;
  const reading = new CaptureReading(
    captures.map(({ name }) => name),
    { keyLogs, bodies: true },
  );
  const sources = await blobSources(captures, (read) => {
    bytes = read;
  });
  const collector = new SummaryCollector(reading.names, { streams: false });
  const keeper = new MessageKeeper();
  for await (const batch of reading.read(sources)) {
    for (const item of batch) {
      collector.add(item);
      if (item.kind === 'message') keeper.add(item.message);
    }
    onProgress(bytes, keeper.count);
  }
  const unknown = reading.reports.find(({ format }) => format === 'unknown');
  if (unknown !== undefined)
    throw new UnreadableFiles(`${reading.names[unknown.capture]} holds no packets and no messages.`);
  const summary = collector.result();
  const title = captures.map(({ name }) => name).join(', ');
  return {
    found: {
      title,
      messages: keeper.count,
      summary: summaryText(summary),
      remarks: [...unreadRemarks(reading.notices, keyLogs.length > 0), ...limitRemarks(keeper)],
      objects: summary.objects.map(({ apiGroup, resource, name, namespace }) => ({
        name: objectReference(groupResource(resource, apiGroup), name),
        namespace: namespace ?? '',
      })),
    },
    kept: {
      messages: keeper.end(),
      title,
      notices: reading.notices,
      names: reading.captureNames,
      digits: reading.names.map((_, capture) => reading.digits(capture)),
      first: reading.firstTime ?? 0n,
    },
  };
}

/** Traffic that could not be decoded, and what to do about it. */
function unreadRemarks(notices: readonly Notice[], hasKeyLog: boolean): string[] {
  const codes = new Set(unreadPlaces(notices).map(({ code }) => code));
  const missing = missingParts(notices);
  const remarks = missing.length === 0 ? [] : [`Not read: ${missing.join(', ')}.`];
  if (!codes.has('tls.no-secret') && !codes.has('tls.no-handshake') && !codes.has('tls.bad-tag')) return remarks;
  return [
    ...remarks,
    hasKeyLog
      ? 'The key log does not have the secrets of all connections: it must be of this very run.'
      : 'To read what is encrypted, choose the key log of the same run together with the capture.',
  ];
}

/** What the page does not keep, a sentence each. */
export function limitRemarks({ leftOut, withoutBodies }: Pick<MessageKeeper, 'leftOut' | 'withoutBodies'>): string[] {
  const remarks: string[] = [];
  if (leftOut > 0)
    remarks.push(
      `This page keeps the first ${MAX_MESSAGES} messages, so that it needs no more than a few hundred MB of memory; ${leftOut} later ones are counted alone. The command has no such limit.`,
    );
  if (withoutBodies > 0)
    remarks.push(
      `${withoutBodies === 1 ? 'The body of one message is' : `Bodies of ${withoutBodies} messages are`} not shown: this page keeps those of ${MAX_MESSAGES_WITH_DETAILS} messages, ${MAX_DETAILS_BYTES / MIB} MiB of them, and none over ${MAX_BODY / MIB} MiB.`,
    );
  return remarks;
}

const MIB = 1024 ** 2;
