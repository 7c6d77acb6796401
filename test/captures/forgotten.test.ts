// What is remembered has limits; what a limit makes different is said. Each is lowered to one entry, on captures that reach most of them.

import { expect, it } from 'vitest';
import { MessageStage } from '../../src/pipeline/message-stage.js';
import { exists, fixture } from '../kit/fixtures.js';
import { observed } from '../kit/observed.js';

interface Seen {
  readonly messages: readonly string[];
  /** What was forgotten; with the frame since which. */
  readonly said: ReadonlyMap<string, number | undefined>;
}

async function seen(path: string, limitOf: (what: string, limit: number) => number): Promise<Seen> {
  const log = `${path.slice(0, path.indexOf('/'))}/keys.log`;
  const keys = exists(log) ? new TextDecoder().decode(fixture(log)) : '';
  const { messages, notices } = await observed([fixture(path)], {
    pipeline: new MessageStage({ keyLogs: [keys], limitOf }),
  });
  const told = messages.map(({ from, to, request, about, reportsOn, ...message }) => {
    const links = { from: from.name, to: to.name, request: request?.seq, about: about?.uid, reportsOn: reportsOn?.uid };
    return JSON.stringify({ ...message, via: undefined, ...links }, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  });
  const said = notices
    .filter(({ code }) => code === 'limit.forgotten')
    .map(({ detail, origin }) => [detail.slice(0, detail.indexOf(':')), origin?.frame] as const);
  return { messages: told, said: new Map(said) };
}

const IS_FULL = process.env['RUNS'] === 'full';
/** How many of the limits make a difference when they are lowered, at least. */
const CAPTURES: readonly (readonly [path: string, different: number])[] = [
  ['run-nginx-http1/capture.pcap', 2],
  ...(IS_FULL
    ? ([
        ['deployment-tls/control-plane.pcap', 5],
        ['workloads-tls/control-plane.pcap', 5],
      ] as const)
    : []),
];

it.each(CAPTURES)('what a lower limit makes different in %s is said', async (path, least) => {
  const names = new Set<string>();
  const whole = await seen(path, (what, limit) => {
    names.add(what);
    return limit;
  });
  expect([...whole.said]).toEqual([]);
  expect(names.size).toBeGreaterThan(50);
  let different = 0;
  for (const name of names) {
    const { messages, said } = await seen(path, (what, limit) => (what === name ? 1 : limit));
    // Nothing else is forgotten, and it is said once.
    expect(said.size, name).toBeLessThanOrEqual(1);
    if (said.size === 1) expect(said.get(name), name).toBeGreaterThan(0);
    const isSame = messages.length === whole.messages.length && messages.every((text, i) => text === whole.messages[i]);
    if (!isSame) {
      different += 1;
      expect([...said.keys()], name).toEqual([name]);
    }
  }
  expect(different).toBeGreaterThanOrEqual(least);
});
