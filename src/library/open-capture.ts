// Reads the messages of one capture, each as soon as it is known.

import {
  type CaptureBytes,
  type Message,
  type Notice,
  observe,
  openSecrets,
  type PipelineOptions,
  type Secrets,
} from '../index.js';
import { type CaptureInput, checkOptionNames, openInput } from './capture-input.js';

export interface OpenCaptureOptions extends PipelineOptions {
  /**
   * TLS secrets: text of NSS key logs, or streams of it. Streams are read to their ends before the capture; with `live`
   * beside it, and what they open comes as soon as they say it.
   */
  readonly secrets?: Secrets;
  /** Gets what a reader of the messages must know: gaps, connections that could not be read. */
  readonly onNotice?: (notice: Notice) => void;
}

/**
 * Messages of one capture, in order, as they are known; with `live` each as soon as its last byte was read.
 *
 * @param input a capture file or a live stream: pcap or pcapng, gzipped or not.
 * @throws TypeError for what is no capture, and for an option that there is not.
 */
export function openCapture(input: CaptureInput, options: OpenCaptureOptions = {}): AsyncGenerator<Message> {
  checkOptionNames('openCapture', options, OPTIONS);
  return messagesOf(openInput(input), options);
}

async function* messagesOf(bytes: CaptureBytes, options: OpenCaptureOptions): AsyncGenerator<Message> {
  const { keyLogs, meanwhile } = await openSecrets(options.secrets ?? [], options.live === true);
  const all = { ...options, keyLogs: [...(options.keyLogs ?? []), ...keyLogs], meanwhile };
  for await (const batch of observe([bytes], all)) {
    for (const item of batch) {
      if (item.kind === 'message') yield item.message;
      else if (item.kind === 'notice') options.onNotice?.(item);
    }
  }
}

const OPTIONS: Readonly<Record<keyof OpenCaptureOptions, true>> = {
  secrets: true,
  onNotice: true,
  bodies: true,
  lives: true,
  naming: true,
  controllers: true,
  reveal: true,
  progress: true,
  keyLogs: true,
  live: true,
  limitOf: true,
  newHash: true,
  moreSecrets: true,
  tunnels: true,
};
