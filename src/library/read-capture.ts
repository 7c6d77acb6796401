// Reads captures to their ends, for outputs that need all of their messages.

import { type Message, type Notice, observe, openSecrets, type PipelineOptions, type Secrets } from '../index.js';
import { type CaptureInput, openInput } from './capture-input.js';

export interface ReadCaptureOptions extends Pick<PipelineOptions, 'naming' | 'reveal'> {
  /** TLS secrets: text of NSS key logs, or streams of it. */
  readonly secrets?: Secrets;
}

export interface ReadCapture {
  /** In the order of time. */
  readonly messages: readonly Message[];
  /** What a reader of the messages must know: gaps, connections that could not be read. */
  readonly notices: readonly Notice[];
  /** ns since the epoch: the first frame; 0 if there is none. */
  readonly first: bigint;
}

/** @param input a capture, or several of one moment. @throws what reading a path throws. */
export async function readCapture(
  input: CaptureInput | readonly CaptureInput[],
  options: ReadCaptureOptions = {},
): Promise<ReadCapture> {
  const { keyLogs } = await openSecrets(options.secrets ?? [], false);
  const inputs = Array.isArray(input) ? (input as readonly CaptureInput[]) : [input as CaptureInput];
  const messages: Message[] = [];
  const notices: Notice[] = [];
  let first: bigint | null = null;
  for await (const batch of observe(inputs.map(openInput), { naming: options.naming, reveal: options.reveal, keyLogs }))
    for (const item of batch) {
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
      else if (item.kind === 'capture-report' && item.first !== null)
        first = first === null || item.first < first ? item.first : first;
    }
  return { messages, notices, first: first ?? 0n };
}
