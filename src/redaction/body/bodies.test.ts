// Bodies of real captures: what tells of a cluster stays, and what comes out of a random string came through a row.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../test/kit/body-rules.js';
import { FIELD_ROWS } from '../../../test/kit/field-rows.js';
import { fixture } from '../../../test/kit/fixtures.js';
import { type Message, observe } from '../../index.js';
import { bodyContext, callMessage } from '../../kubernetes/messages/details-context.js';
import type { ObjectContext } from '../objects.js';
import { isRedacted } from '../shown.js';
import { type FieldRow, fits, hasGrammar } from './rows.js';
import { showObject } from './show-object.js';

type Json = Readonly<Record<string, unknown>>;

interface RealBody {
  readonly value: object;
  readonly context: ObjectContext;
}

async function bodiesOf(capture: string, keylog?: string): Promise<RealBody[]> {
  const inputs = [capture].map((name) =>
    (async function* () {
      yield fixture(name);
    })(),
  );
  const keys = keylog === undefined ? undefined : Buffer.from(fixture(keylog)).toString('utf8');
  const bodies: RealBody[] = [];
  const options = { bodies: true, showSecrets: true, ...(keys === undefined ? {} : { keylog: keys }) };
  for await (const batch of observe(inputs, options))
    for (const item of batch) if (item.kind === 'message') bodies.push(...bodyOf(item.message));
  return bodies;
}

function bodyOf(message: Message): RealBody[] {
  const body = message.details?.body();
  if (typeof body !== 'object' || body === null) return [];
  const value = message.kind === 'event' && 'object' in body ? body.object : body;
  if (typeof value !== 'object' || value === null || '$bytes' in value) return [];
  const { service, rpcMethod } = message;
  const call =
    service == null || rpcMethod == null ? undefined : callMessage(service, rpcMethod, message.kind === 'request');
  return [{ value, context: { ...bodyContext(message.protocol, message, message.target ?? ''), message: call } }];
}

const bodies = await bodiesOf('run-nginx-http1/capture.pcap');
const shownBodies = bodies.map(({ value, context }) => showObject(value, context, RULES) as Json | undefined);

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner, name) => (inner as Json | undefined)?.[name], value);
}

/** Each string of a value with its path; names of indices are left out. */
function strings(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => strings(item, path));
  return Object.entries(value).flatMap(([name, member]) => strings(member, `${path}.${name}`));
}

describe('bodies of run-nginx', () => {
  it.each([
    ['Pod', 'metadata.name metadata.namespace metadata.labels spec.nodeName spec.containers.0.image status.phase'],
    [
      'Pod',
      'spec.serviceAccountName spec.schedulerName status.conditions.0.type status.conditions.0.reason status.podIP',
    ],
    ['Pod', 'status.containerStatuses.0.state status.startTime spec.tolerations metadata.ownerReferences'],
    ['Deployment', 'metadata.name spec.replicas spec.selector spec.strategy spec.template.metadata.labels'],
    ['Deployment', 'spec.template.spec.containers.0.image status.conditions.0.type status.conditions.0.reason'],
    ['ReplicaSet', 'metadata.ownerReferences spec.selector metadata.annotations status.replicas'],
    ['Node', 'metadata.name status.capacity status.addresses status.conditions.0.reason spec.taints'],
    ['Event', 'reason type involvedObject source metadata.name firstTimestamp count'],
    ['Lease', 'spec.holderIdentity spec.renewTime spec.leaseDurationSeconds metadata.name'],
  ])('a %s keeps %s', (kind, paths) => {
    const pairs = bodies
      .map(({ value }, i) => [value as Json, shownBodies[i]] as const)
      .filter(([v]) => v['kind'] === kind);
    expect(pairs.length).toBeGreaterThan(0);
    for (const path of paths.split(' '))
      for (const [value, shownValue] of pairs)
        if (at(value, path) !== undefined) expect([path, at(shownValue, path)]).toEqual([path, at(value, path)]);
  });

  it('keep nine in ten of their strings, besides texts', () => {
    let all = 0;
    let kept = 0;
    bodies.forEach(({ value }, i) => {
      for (const [path, text] of strings(shownBodies[i])) {
        if (text === '' || text === '…') continue;
        all += 1;
        if (!isRedacted(text)) kept += 1;
        else expect(path).not.toMatch(/\.(?:kind|name|namespace|reason|phase|image|nodeName|uid)$/);
      }
      expect(typeof value).toBe('object');
    });
    expect(all).toBeGreaterThan(10_000);
    expect(kept / all).toBeGreaterThan(0.9);
  });

  it('shown twice are as shown once', () => {
    bodies.forEach(({ context }, i) => {
      expect(showObject(shownBodies[i], context, RULES)).toEqual(shownBodies[i]);
    });
  });
});

describe('a random string in place of every string', async () => {
  const captures: [string, string?][] = [
    ['docker-engine-api/capture.pcap'],
    ['boot-etcd-tls/capture.pcap', 'boot-etcd-tls/keys.log'],
  ];
  const others = (await Promise.all(captures.map(([capture, keylog]) => bodiesOf(capture, keylog)))).flat();
  const rows = new Set(Object.values(FIELD_ROWS).flat());
  /** Members that identify the type of a body, and so the places of its strings. */
  const kept = new Set(['kind', 'apiVersion', 'op', 'path', 'from']);

  /** A copy with other strings in it, each of which is known by its number. */
  function planted(value: unknown, make: () => string, name = ''): unknown {
    if (typeof value === 'string') return kept.has(name) ? value : make();
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => planted(item, make, name));
    return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, planted(inner, make, member)]));
  }

  it('is shown only if a row allows it', () => {
    expect(others.length).toBeGreaterThan(1000);
    const all = [...bodies, ...others];
    const used = new Map<string, FieldRow>();
    const alphabet = fc.constantFrom('a', 'B', '7', '-', '.', '/', ':', ' ', '=', '\n', '{', '"', '\u{1f600}');
    fc.assert(
      fc.property(fc.nat(all.length - 1), fc.string({ unit: alphabet, maxLength: 12 }), (index, noise) => {
        const { value, context } = all[index];
        const made = new Map<string, FieldRow | undefined>();
        let next = 0;
        const body = planted(value, () => {
          const text = `${noise}q${next++}z`;
          made.set(text, undefined);
          return text;
        });
        const out = showObject(body, context, RULES, (row, _, text) => {
          if (made.has(text)) made.set(text, row);
          expect(rows).toContain(row);
          expect(row.showing).not.toBe('none');
          if (hasGrammar(row.showing)) expect(fits(row.showing, text)).toBe(true);
          used.set(row.field, row);
        });
        for (const [path, text] of strings(out)) {
          if (!made.has(text)) continue;
          expect([path, made.get(text)?.field]).toEqual([path, expect.any(String)]);
        }
      }),
      { numRuns: 2000 },
    );
    // Names, words and references were among them: the test would see a table that shows nothing.
    expect(used.size).toBeGreaterThan(30);
  });
});
