// Fixtures as a whole: all captures of a folder with their key logs, as one observation. Each is read once in a worker, with its bodies, and
// kept for all tests that look at it (together about 300 MB): nobody changes what is kept.

import { readdirSync } from 'node:fs';
import { type Message, MessageStage, type Notice, observe, type PipelineItem } from '../../src/index.js';
import { fixture, fixturePath } from './fixtures.js';
import { inPieces, lookedAt } from './observed.js';

export interface WholeFixture {
  readonly name: string;
  /** Everything that came of it, in order. */
  readonly items: readonly PipelineItem[];
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** ns since the epoch of the first frame. */
  readonly first: bigint;
  /** Names of the captures. */
  readonly captures: readonly string[];
  readonly pipeline: MessageStage;
}

/** Folders of fixtures that hold captures. */
export const WITH_CAPTURES: readonly string[] = readdirSync(fixturePath(''), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => [name, ...foldersIn(name)])
  .filter((folder) => capturesIn(folder).length > 0)
  .sort();

export function observeWhole(name: string): Promise<WholeFixture> {
  let reading = KEPT.get(name);
  if (reading === undefined) {
    reading = read(name);
    KEPT.set(name, reading);
  }
  return reading;
}

const KEPT = new Map<string, Promise<WholeFixture>>();

async function read(name: string): Promise<WholeFixture> {
  const captures = capturesIn(name);
  const files = captures.map((file) => fixture(`${name}/${file}`));
  const keyLogs = keyLogsIn(name).map((file) => Buffer.from(fixture(`${name}/${file}`)).toString('latin1'));
  const pipeline = new MessageStage({ keyLogs, bodies: true });
  const { hosts, shifts } = await lookedAt(files);
  const items: PipelineItem[] = [];
  const bytes = files.map((file) => inPieces(file, PIECE));
  for await (const batch of observe(bytes, { pipeline, bodies: true, hosts, shifts })) items.push(...batch);
  return {
    name,
    items,
    messages: items.flatMap((item) => (item.kind === 'message' ? [item.message] : [])),
    notices: items.filter((item): item is Notice => item.kind === 'notice'),
    first: pipeline.firstTime ?? 0n,
    captures,
    pipeline,
  };
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
