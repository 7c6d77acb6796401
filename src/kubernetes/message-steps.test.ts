import { afterEach, describe, expect, it, vi } from 'vitest';
import { fixtureCaptures, fixtureKeyLogs } from '../../test/kit/fixture-observations.js';
import { observe } from '../index.js';
import { type MessageFact, type MessageStep, REQUEST_STEPS, RESPONSE_STEPS } from './message-steps.js';
import type { Draft } from './messages/draft.js';

afterEach(() => vi.restoreAllMocks());

describe.each([
  ['request', REQUEST_STEPS],
  ['response', RESPONSE_STEPS],
] as [string, readonly MessageStep<unknown>[]][])('the steps of a %s', (_, steps) => {
  it('each needs only what a step before it gives', () => {
    const given = new Set<MessageFact>();
    const early = steps.flatMap(({ step, needs, gives }) => {
      const missing = needs.filter((fact) => !given.has(fact)).map((fact) => `${step} needs ${fact}`);
      for (const fact of gives) given.add(fact);
      return missing;
    });
    expect(early).toEqual([]);
  });

  it.each(['run-nginx-http1', 'gitops-tls', 'helm-tls'])(
    'read and write the fields that they say: %s',
    async (name) => {
      const wrong = new Set<string>();
      for (const one of steps) {
        const { step, needs, gives, run } = one;
        const mayRead = new Set([...needs, ...gives]);
        vi.spyOn(one, 'run').mockImplementation((work, trackers) => {
          const message = new Proxy(work.message, {
            get(draft, field) {
              const fact = FACT_OF[field as keyof Draft];
              if (fact !== undefined && !mayRead.has(fact)) wrong.add(`${step} reads ${String(field)}`);
              return draft[field as keyof Draft];
            },
            set(draft, field, value) {
              const fact = FACT_OF[field as keyof Draft];
              if (draft[field as keyof Draft] !== value && (fact === undefined || !gives.includes(fact)))
                wrong.add(`${step} writes ${String(field)}`);
              return Reflect.set(draft, field, value);
            },
          });
          const copy = { ...work, message };
          run(copy, trackers);
          work.decoded = copy.decoded;
          work.carried = copy.carried;
        });
      }
      const captures = fixtureCaptures(name).map(async function* (bytes) {
        yield bytes;
      });
      for await (const _ of observe(captures, { keyLogs: fixtureKeyLogs(name) }));
      expect(steps.every(({ run }) => vi.mocked(run).mock.calls.length > 10)).toBe(true);
      expect([...wrong].sort()).toEqual([]);
    },
  );
});

/** What a draft has from its start, as its number and times, is nobody's. */
const FACT_OF: { readonly [Field in keyof Draft]?: MessageFact } = {
  ...of('fields', 'method', 'target', 'userAgent', 'verb', 'apiGroup', 'apiVersion', 'resource', 'subresource'),
  ...of('fields', 'namespace', 'name', 'object', 'claims', 'appliedFor', 'dryRun', 'inferred'),
  ...of('fields', 'status', 'reason', 'auditId', 'latencyMs', 'warnings', 'authorization', 'bytes'),
  ...of('failure', 'statusMessage'),
  ...of('times', 'times'),
  ...of('verdict', 'verdict', 'patch'),
  ...of('user', 'user', 'userFrom'),
  ...of('report', 'k8sEvent', 'missing'),
  ...of('problems', 'problems'),
  ...of('label', 'label'),
  ...of('release', 'release'),
  ...of('lease', 'lease'),
  ...of('cause', 'cause', 'causedBy'),
};

function of(fact: MessageFact, ...fields: readonly (keyof Draft)[]): { readonly [Field in keyof Draft]?: MessageFact } {
  return Object.fromEntries(fields.map((field) => [field, fact]));
}
