// What `top`, `summary`, `object` and a diagram remember has limits: each is lowered to one entry on a fixture, and what is forgotten is said once, with the frame.

import { inspect } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { keptBy } from '../../src/core/collections/bounded.js';
import { Forgotten } from '../../src/core/forgotten.js';
import type { Notice } from '../../src/core/notice.js';
import {
  ChangeWords,
  DEFAULT_THRESHOLDS,
  HistoryBuilder,
  type Message,
  MessageLinker,
  ObjectHistories,
  ObjectStore,
  SummaryCollector,
  TopCollector,
} from '../../src/index.js';
import { exists, fixture } from '../kit/fixtures.js';
import { observed } from '../kit/observed.js';

interface Collector {
  add(message: Message): void;
  result(): unknown;
}

/** Which object a message is about is remembered by the pipeline, for the command. */
function linking(): (message: Message) => Message {
  const links = new MessageLinker(new ObjectStore());
  return (message) => links.link({ ...message, request: undefined, about: undefined, reportsOn: undefined });
}

const MAKERS: Readonly<Record<string, () => Collector>> = {
  top: () => new TopCollector({ by: ['client', 'flowschema'], limit: 1000, thresholds: DEFAULT_THRESHOLDS }),
  summary: () => {
    const [collector, link] = [new SummaryCollector([''], { streams: false }), linking()];
    return {
      add: (message) => collector.add({ kind: 'message', message: link(message) }),
      result: () => collector.result(),
    };
  },
  object: () => {
    const history = new HistoryBuilder({ resource: 'pods', group: '', namespace: 'default', name: 'nginx' });
    const link = linking();
    return { add: (message) => history.feed(link(message)), result: () => history.result() };
  },
  'path of several': () => {
    const histories = new ObjectHistories({ resource: 'pods', group: '', namespace: null });
    const link = linking();
    return { add: (message) => histories.feed(link(message)), result: () => histories.results() };
  },
  'labels of changes': () => {
    const words = new ChangeWords();
    return { add: (message) => words.feed(message), result: () => words.words };
  },
};

let messages: readonly Message[];
beforeAll(async () => {
  expect(exists(CAPTURE)).toBe(true);
  ({ messages } = await observed([fixture(CAPTURE)], { bodies: true }));
});
const CAPTURE = 'run-nginx-http1/capture.pcap';

function seen(make: () => Collector, limitOf: (what: string, limit: number) => number) {
  const said: Notice[] = [];
  const keeper = new Forgotten((one) => said.push(one), limitOf);
  const collector = keptBy(keeper, make);
  for (const message of messages) {
    keeper.at = { capture: message.capture, frame: message.frames[1], time: message.time };
    collector.add(message);
  }
  const result = inspect(collector.result(), { depth: 8, maxArrayLength: 1000 });
  return { result, said };
}

it.each(Object.entries(MAKERS))('%s says what it forgets', (_, make) => {
  const names = new Set<string>();
  const whole = seen(make, (what, limit) => {
    names.add(what);
    return limit;
  });
  expect(whole.said).toEqual([]);
  let forgotten = 0;
  for (const name of names) {
    const { result, said } = seen(make, (what, limit) => (what === name ? 1 : limit));
    if (result !== whole.result) expect(said.length, name).toBe(1);
    for (const one of said) {
      forgotten += 1;
      expect(one.code).toBe('limit.forgotten');
      expect(one.detail).toMatch(new RegExp(`^${name}: the first \\d+ were forgotten$`));
      expect(one.origin?.frame).toBeGreaterThan(0);
    }
  }
  expect(forgotten).toBeGreaterThan(0);
});
