// What an arrow itself cannot say, in lines for a note: why it failed, what an Event reports, what the API server warns of, that
// nobody answered, that nothing is changed, how large a blob is. Knows fields of messages; not where notes stand.

import type { Message } from '../../kubernetes/messages/message.js';
import type { ExchangeMessages } from '../message-index.js';
import { isPerson } from '../selection/noise.js';

/** Empty where there is nothing to say. */
export function remarksOn(message: Message, { request, response, ended }: ExchangeMessages): string[] {
  if (message.kind === 'request') return onRequest(message, response, ended);
  if (message.kind === 'response') return onResponse(message, request);
  return message.type === 'ERROR' ? lineOf(message.statusMessage ?? '') : [];
}

function onRequest({ k8sEvent, dryRun }: Message, response: Message | undefined, ended: string | undefined): string[] {
  if (k8sEvent !== undefined) return lineOf(`${k8sEvent.reason}: ${k8sEvent.message}`);
  if (response === undefined) return [ended ?? 'no answer in the capture'];
  return dryRun === true ? ['dry run: nothing is changed'] : [];
}

function onResponse(message: Message, request: Message | undefined): string[] {
  const { bytes, warnings = [], to, k8sEvent } = message;
  if (k8sEvent !== undefined) return lineOf(`${k8sEvent.reason}: ${k8sEvent.message}`);
  // Controllers are warned of the same again and again.
  const warned = isPerson(to) ? warnings.flatMap((one) => lineOf(`Warning: ${one}`)) : [];
  const sized =
    bytes !== undefined && request?.target?.includes('/blobs/') === true ? [`a blob of ${bytes} bytes`] : [];
  return [...warned, ...failure(message), ...sized];
}

function failure({ status = 0, grpcStatus = 0, reason, statusMessage }: Message): string[] {
  if (status >= 400) {
    const said = [reason, statusMessage].filter((text) => text !== undefined && text !== '');
    return lineOf([...new Set(said)].join(': '));
  }
  return grpcStatus > 0 ? lineOf(statusMessage ?? '') : [];
}

/** Output of a probe, errors that were joined: their line ends are no lines of ours. */
function lineOf(said: string): string[] {
  const line = said.replace(LINE_ENDS, ' ').trim();
  return line === '' ? [] : [line];
}

const LINE_ENDS = /[\r\n]+/g;
