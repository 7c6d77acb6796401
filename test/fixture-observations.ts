// Reads the captures of a fixture with its key logs, as tests of all fixtures do.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Message, MessageStage, type Observation, observe } from '../src/index.js';
import { ROOT } from './command.js';
import { fixture } from './fixtures.js';

/** The fixtures that have captures, by their directories. */
export function capturedFixtures(): string[] {
  return readdirSync(join(ROOT, 'fixtures'), { withFileTypes: true })
    .filter((one) => one.isDirectory() && filesIn(one.name, CAPTURE).length > 0)
    .map(({ name }) => name);
}

/** Captures of a fixture, in their order. */
export function fixtureCaptures(name: string): Uint8Array[] {
  return filesIn(name, CAPTURE).map((one) => fixture(one));
}

/** Texts of its key logs. */
export function fixtureKeyLogs(name: string): string[] {
  return filesIn(name, KEY_LOG).map((one) => new TextDecoder().decode(fixture(one)));
}

/** @param options `bodies`: of messages too. */
export async function observedFixture(
  name: string,
  { bodies = false }: { readonly bodies?: boolean } = {},
): Promise<{ messages: Message[]; notices: Observation['notices'] }> {
  const keyLogs = fixtureKeyLogs(name);
  const messages: Message[] = [];
  const notices: Observation['notices'][number][] = [];
  const captures = fixtureCaptures(name).map(inOnePiece);
  for await (const batch of observe(captures, { pipeline: new MessageStage({ keyLogs, bodies }) }))
    for (const item of batch) {
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
  return { messages, notices };
}

/** Without `.gz`. */
function filesIn(name: string, pattern: RegExp): string[] {
  return readdirSync(join(ROOT, 'fixtures', name))
    .filter((file) => pattern.test(file))
    .map((file) => `${name}/${file.slice(0, -3)}`)
    .sort();
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const CAPTURE = /\.pcap(?:ng)?\.gz$/;
const KEY_LOG = /keys.*\.log\.gz$/;
