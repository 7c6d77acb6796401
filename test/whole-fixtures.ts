// Fixtures as a whole: all captures of a folder with their key logs, as one observation.

import { readdirSync } from 'node:fs';
import { type Message, MessageStage, type Notice, observe, type PipelineItem } from '../src/index.js';
import { fixture, fixturePath } from './fixtures.js';
import { inPieces, lookedAt } from './observed.js';

export interface WholeFixture {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** ns since the epoch of the first frame. */
  readonly first: bigint;
  /** Names of the captures. */
  readonly captures: readonly string[];
}

/** Folders of fixtures that hold captures. */
export const WITH_CAPTURES: readonly string[] = readdirSync(fixturePath(''), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => [name, ...foldersIn(name)])
  .filter((folder) => capturesIn(folder).length > 0)
  .sort();

/** @param also is shown everything that comes of it, in order. */
export async function observeWhole(
  name: string,
  options: { readonly bodies?: boolean; also?(item: PipelineItem): void } = {},
): Promise<WholeFixture> {
  const captures = capturesIn(name);
  const files = captures.map((file) => fixture(`${name}/${file}`));
  const keyLogs = keyLogsIn(name).map((file) => Buffer.from(fixture(`${name}/${file}`)).toString('latin1'));
  const pipeline = new MessageStage({ keyLogs, bodies: options.bodies });
  const { hosts, shifts } = await lookedAt(files);
  const messages: Message[] = [];
  const notices: Notice[] = [];
  const bytes = files.map((file) => inPieces(file, PIECE));
  for await (const batch of observe(bytes, { pipeline, bodies: options.bodies, hosts, shifts }))
    for (const item of batch) {
      options.also?.(item);
      if (item.kind === 'message') messages.push(item.message);
      else if (item.kind === 'notice') notices.push(item);
    }
  return { name, messages, notices, first: pipeline.firstTime ?? 0n, captures };
}

/** A second capture of the same frames that has the secrets inside is an observation of its own. */
function capturesIn(folder: string): string[] {
  return filesIn(folder, /\.pcap(?:ng)?(?:\.gz)?$/).filter((file) => !file.includes('with-secrets'));
}

function keyLogsIn(folder: string): string[] {
  return filesIn(folder, /^(?:true-)?keys\.log(?:\.gz)?$/);
}

function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(fixturePath(folder))
    .filter((file) => pattern.test(file))
    .map((file) => file.replace(/\.gz$/, ''))
    .sort();
}

function foldersIn(folder: string): string[] {
  return readdirSync(fixturePath(folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`);
}

/** As files are read. */
const PIECE = 65_536;
