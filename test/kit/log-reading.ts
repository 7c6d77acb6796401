// Reads audit logs, alone or beside captures, in pieces that end anywhere.

import { type Message, MessageStage, type Notice, observe } from '../../src/index.js';

export interface ReadLogs {
  readonly messages: Message[];
  readonly notices: Notice[];
}

/** @param piece bytes that are read at once. */
export async function readLogs(
  files: readonly Uint8Array[],
  piece: number,
  keyLogs: readonly string[] = [],
  bodies = false,
): Promise<ReadLogs> {
  const messages: Message[] = [];
  const notices: Notice[] = [];
  const captures = files.map((bytes) => pieces(bytes, piece));
  for await (const batch of observe(captures, { pipeline: new MessageStage({ keyLogs, bodies }), bodies }))
    for (const item of batch) {
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
  return { messages, notices };
}

async function* pieces(bytes: Uint8Array, piece: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.slice(at, at + piece);
}
