// Outputs of the library that hold all that messages hold, of items as a pipeline hands them out.

import { readdirSync } from 'node:fs';
import {
  buildSequence,
  HistoryBuilder,
  type Message,
  messageLineWithBody,
  type Notice,
  type PipelineItem,
  parseFollow,
  renderMermaid,
  renderObjectJson,
  renderObjectText,
  SavedWriter,
  SummaryCollector,
} from '../../../src/index.js';
import { fixturePath } from '../fixtures.js';

/** Every capture of the fixtures; with its key log where there is one. */
export const CAPTURES = readdirSync(fixturePath('')).flatMap((folder) =>
  readdirSync(fixturePath(folder), { withFileTypes: true })
    .map(({ name }) => `${folder}/${name}`)
    .filter((name) => /\.pcap(?:ng)?(?:\.gz)?$/.test(name))
    .map((name) => ({ name, keys: `${folder}/keys.log` })),
);
const LAYERS = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
const DIGITS = { first: 0n, digits: () => 6 as const };
/** Objects whose histories are written. */
const OBJECTS = 4;

/** Each output with its name. @param first ns: the first frame. */
export function* printed(items: readonly PipelineItem[], first: bigint | null): Generator<readonly [string, string]> {
  const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
  const notices = items.filter((item): item is Notice => item.kind === 'notice');
  yield ['messages --bodies', messages.map((message) => messageLineWithBody(message, DIGITS)).join('\n')];
  yield ['notices', notices.map((notice) => JSON.stringify(notice, bigints)).join('\n')];
  const seen = { messages, notices };
  yield ['diagram --all', renderMermaid(buildSequence(seen, { all: true, layers: LAYERS }))];
  yield ['diagram', renderMermaid(buildSequence(seen, { layers: LAYERS }))];
  const collector = new SummaryCollector(['capture'], { streams: true });
  for (const item of items) collector.add(item);
  yield ['summary', JSON.stringify(collector.result(), bigints)];
  yield ['export', exported(items, first, true)];
  for (const [resource, { name, namespace }] of objectsOf(messages)) {
    const followed = parseFollow(`${resource}/${name}`, namespace ?? 'default');
    if (followed === null) continue;
    const history = new HistoryBuilder(followed);
    for (const message of messages) history.feed(message);
    const life = history.result();
    yield [`object ${resource}/${name} -o json`, renderObjectJson(life, DIGITS)];
    yield [`object ${resource}/${name} -o text`, renderObjectText(life, { ...DIGITS, all: true })];
  }
}

/** One object of each resource, of some. */
function objectsOf(messages: readonly Message[]): [string, { name: string; namespace: string | null | undefined }][] {
  const objects = new Map(
    messages.flatMap(({ resource, name, namespace }) =>
      resource === undefined || name === undefined ? [] : [[resource, { name, namespace }] as const],
    ),
  );
  return [...objects].slice(0, OBJECTS);
}

export function exported(items: readonly PipelineItem[], first: bigint | null, redacted: boolean): string {
  const writer = new SavedWriter({ captures: ['capture'], redacted, digits: () => 6 });
  return [...writer.feed(items, first), ...writer.end(first)].join('');
}

export function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
