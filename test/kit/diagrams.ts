// Diagrams of fixtures, made by the library.

import {
  buildSequence,
  type DiagramOptions,
  type Message,
  type Notice,
  observe,
  parseFollow,
  type Sequence,
} from '../../src/index.js';
import { fixture } from './fixtures.js';

export interface Seen {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
}

const seen = new Map<string, Promise<Seen>>();

/** Everything in a fixture, decoded once a test file. */
export function observed(name: string): Promise<Seen> {
  const known = seen.get(name) ?? decode(fixture(name));
  seen.set(name, known);
  return known;
}

/** Several captures of one fixture with its key log, as one observation. */
export function observedTogether(captures: readonly string[], keys: string): Promise<Seen> {
  const name = [...captures, keys].join(' ');
  const keyLog = Buffer.from(fixture(keys)).toString('latin1');
  const known = seen.get(name) ?? decodeWith([keyLog], ...captures.map(fixture));
  seen.set(name, known);
  return known;
}

export function decode(...captures: Uint8Array[]): Promise<Seen> {
  return decodeWith([], ...captures);
}

async function decodeWith(keyLogs: readonly string[], ...captures: Uint8Array[]): Promise<Seen> {
  const messages: Message[] = [];
  const notices: Notice[] = [];
  const sources = captures.map(async function* (bytes) {
    yield bytes;
  });
  for await (const batch of observe(sources, { keyLogs })) {
    for (const item of batch) {
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
  }
  return { messages, notices };
}

export async function kubeseqDiagram(
  name: string,
  options: Omit<DiagramOptions, 'follow'> & { readonly follow?: string } = {},
): Promise<Sequence> {
  const { follow, ...rest } = options;
  const followed = follow === undefined ? undefined : (parseFollow(follow, 'default') ?? undefined);
  return buildSequence(await observed(name), { ...rest, follow: followed });
}
