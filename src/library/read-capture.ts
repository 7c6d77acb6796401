// Reads captures to their ends, for outputs that need all of their messages.

import {
  CaptureReading,
  type Message,
  type Notice,
  openSecrets,
  type PipelineOptions,
  type Secrets,
} from '../index.js';
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
  { naming, reveal, secrets = [] }: ReadCaptureOptions = {},
): Promise<ReadCapture> {
  const { keyLogs } = await openSecrets(secrets, false);
  const inputs = (Array.isArray(input) ? (input as readonly CaptureInput[]) : [input as CaptureInput]).map(openInput);
  const reading = new CaptureReading([], { naming, reveal, keyLogs });
  const messages: Message[] = [];
  for await (const batch of reading.read(
    inputs.map((bytes) => ({ beginning: null, bytes: () => bytes, look: () => bytes })),
  ))
    for (const item of batch) if (item.kind === 'message') messages.push(item.message);
  return { messages, notices: reading.notices, first: reading.firstTime ?? 0n };
}
