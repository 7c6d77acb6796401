// Writes the notes on an arrow: errors, the text of a Kubernetes Event, warnings of the API server, a missing
// response, a dry run, the size of a blob.

import type { Message, Participant } from '../../kubernetes/messages/message.js';
import type { ExchangeMessages } from '../message-index.js';
import { isPerson } from '../selection/noise.js';

export function arrowNotes(message: Message, { request, response, end }: ExchangeMessages): string[] {
  if (message.kind === 'request') return onRequest(message, response, end);
  if (message.kind === 'response') return onResponse(message, request);
  return message.type === 'ERROR' ? lineOf(message.statusMessage ?? '') : [];
}

function onRequest({ k8sEvent, dryRun }: Message, response: Message | undefined, end: Message | undefined): string[] {
  if (k8sEvent !== undefined) return lineOf(`${k8sEvent.reason}: ${k8sEvent.message}`);
  if (response === undefined && end === undefined) return ['no answer in the capture'];
  return dryRun === true ? ['dry run: nothing is changed'] : [];
}

function onResponse(message: Message, request: Message | undefined): string[] {
  const { bytes, warnings = [], to, k8sEvent } = message;
  if (k8sEvent !== undefined) return lineOf(`${k8sEvent.reason}: ${k8sEvent.message}`);
  // Controllers get the same warnings again and again.
  const warned = isPerson(to) ? warnings.flatMap((one) => lineOf(`Warning: ${one}`)) : [];
  const sized =
    bytes !== undefined && request?.target?.includes('/blobs/') === true ? [`a blob of ${bytes} bytes`] : [];
  return [...warned, ...failure(message), ...sized];
}

function failure({ status = 0, grpcStatus = 0, reason, statusMessage }: Message): string[] {
  if (status >= 400) {
    const texts = [reason, statusMessage].filter((text) => text !== undefined && text !== '');
    return lineOf([...new Set(texts)].join(': '));
  }
  return grpcStatus > 0 ? lineOf(statusMessage ?? '') : [];
}

/** Joins the lines of a probe's output or of joined errors. */
function lineOf(text: string): string[] {
  const line = text.replace(LINE_ENDS, ' ').trim();
  return line === '' ? [] : [line];
}

const LINE_ENDS = /[\r\n]+/g;

/**
 * @param drawn messages of a diagram. @param all users that connections prove too; else those that an audit log names.
 * @returns message → `as probe`.
 */
export function userNotes(drawn: readonly Message[], all: boolean): ReadonlyMap<Message, string> {
  const notes = new Map<Message, string>();
  const last = new Map<Participant, string>();
  for (const message of drawn) {
    const { kind, protocol, user, userFrom, from } = message;
    if (kind !== 'request' || protocol !== 'kubernetes' || user === undefined || user === '') continue;
    if (!all && userFrom !== 'audit log') continue;
    if (last.get(from) === user) continue;
    last.set(from, user);
    notes.set(message, `as ${user}`);
  }
  return notes;
}
