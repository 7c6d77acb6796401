// What kubeseq draws from a capture holds on that capture: every capture as it is drawn by default, and in two other ways, so that each
// way is tried on several.

import { describe, expect, it } from 'vitest';
import { nondeterministicExchanges } from '../../src/diagram/folding/nondeterminism.js';
import { indexMessages } from '../../src/diagram/message-index.js';
import { arrowsOf } from '../../src/diagram/model.js';
import {
  buildSequence,
  check,
  type DiagramOptions,
  ExpectationText,
  expectationsOf,
  type Message,
  ObservationIndex,
  observe,
  parseFollow,
  renderMarkdown,
  renderMermaid,
  SavedWriter,
  stableExpectation,
} from '../../src/index.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole, type WholeFixture } from '../kit/whole-fixtures.js';

const LAYERS = new Set(['kubernetes', 'kubelet', 'etcd', 'cri', 'registry', 'docker', 'http', 'grpc'] as const);
const OPTIONS = {
  plain: () => ({}),
  layers: () => ({ layers: LAYERS }),
  component: () => ({ by: 'component', layers: LAYERS }),
  followed: (messages) => ({ follow: followedIn(messages) }),
  everything: () => ({ all: true, layers: LAYERS }),
} satisfies Record<string, (messages: readonly Message[]) => DiagramOptions>;
type Options = keyof typeof OPTIONS;
/** Drawn from the capture, from an export of it, and as `check --update` writes what other runs may do, too. */
type Way = `${'drawn' | 'exported' | 'stable'} ${Options}`;

const CASES: readonly (readonly [fixture: string, ...ways: Way[]])[] = [
  ['run-nginx-http1', 'exported plain', 'stable followed'],
  ['run-nginx-tls', 'drawn component', 'stable plain'],
  ['errors-http1', 'drawn followed', 'stable component'],
  ['exec-logs-portforward-tls', 'drawn layers', 'stable plain'],
  ['clients-tls', 'drawn everything', 'stable layers'],
  ['deployment-tls', 'drawn component', 'drawn followed'],
  ['boot-etcd-tls', 'drawn layers', 'drawn followed'],
  ['late-start-mixed', 'exported layers', 'drawn everything'],
  ['late-start-tls', 'drawn everything', 'exported layers'],
  ['throttle-tls', 'exported plain', 'stable component'],
  ['docker-engine-api', 'exported layers', 'drawn layers', 'stable layers'],
  ['pod-network-tls', 'drawn everything', 'stable layers'],
  ['trouble-tls', 'exported plain', 'stable followed'],
  ['helm-tls', 'drawn component', 'stable followed'],
  ['bootstrap-tls', 'exported layers', 'stable component'],
  ['autoscaled-tls', 'stable plain', 'drawn followed'],
  ['gitops-tls', 'drawn layers', 'drawn component'],
  ['argocd-tls', 'drawn layers', 'drawn component'],
];

/** Its layer is drawn when it is asked for. */
const WITHOUT_KUBERNETES = 'docker-engine-api';

/** The first Pod that somebody creates, or else any object that is asked for. */
function followedIn(messages: readonly Message[]): DiagramOptions['follow'] {
  const named = messages.filter(({ resource, name, namespace }) => resource && name && namespace);
  const pods = named.filter(({ resource }) => resource === 'pods');
  const about = pods.find(({ verb }) => verb === 'create') ?? pods[0] ?? named[0];
  if (about === undefined) return undefined;
  return parseFollow(`${about.resource}/${about.name}`, about.namespace!) ?? undefined;
}

function holds(source: string, messages: readonly Message[], name: string): void {
  const [{ diagram }] = expectationsOf(source, false, name);
  const { met, undecided, failures, matched } = check(diagram, new ObservationIndex(messages));
  expect(failures.map(({ line, arrow, nearest }) => ({ line, arrow, why: nearest?.differences }))).toEqual([]);
  expect([met, undecided]).toEqual([true, null]);
  if (diagram.body.length > 0 || name !== WITHOUT_KUBERNETES) expect(matched.length).toBeGreaterThan(0);
}

function drawn({ name, messages, notices }: WholeFixture, options: DiagramOptions): void {
  const sequence = buildSequence({ messages, notices }, options);
  holds(renderMermaid(sequence), messages, name);
  // A page has the same in parts that GitHub draws, each an expectation that can be read.
  const page = renderMarkdown(sequence);
  const parts = page.match(/^```mermaid$/gm) ?? [];
  expect(parts.length).toBeGreaterThan(0);
  expect(expectationsOf(page, true, name)).toHaveLength(parts.length);
}

async function exported(
  { name, captures, items, pipeline, first }: WholeFixture,
  options: DiagramOptions,
): Promise<void> {
  const writer = new SavedWriter({ captures, redacted: true, digits: (capture) => pipeline.digits(capture) });
  const saved = Buffer.from([...writer.feed(items, first), ...writer.end(first)].join(''));
  const read = (async function* () {
    yield saved;
  })();
  const found = [];
  for await (const batch of observe([read])) found.push(...batch);
  const messages = found.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
  const notices = found.flatMap((item) => (item.kind === 'notice' ? [item] : []));
  holds(renderMermaid(buildSequence({ messages, notices }, options)), messages, name);
}

/** As other runs may do the same: it moves and leaves out what it may, and nothing else. */
function stable({ name, messages, notices }: WholeFixture, options: DiagramOptions): void {
  const { sequence } = stableExpectation({ messages, notices }, options);
  holds(renderMermaid(sequence), messages, name);
  // With the names open that differ from run to run.
  holds(new ExpectationText(indexMessages(messages)).diagram(sequence), messages, name);
  const chance = nondeterministicExchanges(indexMessages(messages));
  const usual = buildSequence({ messages, notices }, { ...options, selected: ({ exchange }) => !chance.has(exchange) });
  const seqs = (steps: typeof usual.steps) => arrowsOf(steps).map(({ message }) => message.seq);
  expect(seqs(sequence.steps).sort()).toEqual(seqs(usual.steps).sort());
  expect(seqs(sequence.steps).filter((seq) => chance.has(messages[seq - 1].exchange))).toEqual([]);
}

const WAYS = { drawn, exported, stable };
/** With RUNS=full, every capture in every way. What is told as it was has no other runs. */
const ALL: readonly Way[] = (['drawn', 'exported', 'stable'] as const)
  .flatMap((how) => (Object.keys(OPTIONS) as Options[]).map((options): Way => `${how} ${options}`))
  .filter((way) => way !== 'stable everything');

describe.each(CASES)('%s', (fixture, ...ways) => {
  it.each(TRIES_ALL ? ALL : (['drawn plain', ...ways] as const))('%s: holds', async (way) => {
    const [how, options] = way.split(' ') as ['drawn' | 'exported' | 'stable', Options];
    const whole = await observeWhole(fixture);
    await WAYS[how](whole, OPTIONS[options](whole.messages));
  });
});

it('each way is tried on three captures at least', () => {
  const tried = CASES.flatMap(([, ...ways]) => ways);
  const often = new Set(tried.filter((way) => tried.filter((one) => one === way).length >= 3));
  const rare = ALL.filter((way) => way !== 'drawn plain' && !often.has(way));
  // What an export holds is drawn as what was read; how it is drawn is tried there.
  expect(rare.filter((way) => !/^exported (?:component|followed|everything)$/.test(way))).toEqual([]);
});
