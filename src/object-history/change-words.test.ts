import { describe, expect, it } from 'vitest';
import type { Message } from '../kubernetes/messages/message.js';
import { ChangeWords } from './change-words.js';

const POD = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1' };

type Body = Readonly<Record<string, unknown>>;

function wordsOf(...messages: readonly Partial<Record<keyof Message, unknown>>[]): (string | undefined)[] {
  const words = new ChangeWords();
  messages.forEach((message, i) => {
    words.feed({ protocol: 'kubernetes', seq: i + 1, ...message } as unknown as Message);
  });
  return messages.map((_, i) => words.words.get(i + 1));
}

function details(body: unknown): unknown {
  return { body: () => body };
}

function event(version: string, body: Body, object: Body = POD): Partial<Record<keyof Message, unknown>> {
  const whole = { metadata: { name: 'web' }, ...body };
  const type = 'MODIFIED';
  return {
    kind: 'event',
    type,
    object: { ...object, resourceVersion: version },
    details: details({ type, object: whole }),
  };
}

function request(
  verb: string,
  subresource: string | undefined,
  body: unknown,
): Partial<Record<keyof Message, unknown>> {
  const about = { apiGroup: '', resource: 'pods', namespace: 'default', name: 'web' };
  return { kind: 'request', verb, subresource, ...about, details: details(body) };
}

const phase = (value: string): Body => ({ status: { phase: value } });

describe('words about changes', () => {
  it('compare an event with the version before, in whichever order they come', () => {
    expect(
      wordsOf(
        event('9', phase('Pending')),
        event('11', phase('Failed')),
        event('10', phase('Running')),
        event('11', phase('Failed')),
      ),
    ).toEqual([undefined, 'phase Pending → Failed', 'phase Pending → Running', 'phase Running → Failed']);
  });

  it('compare nothing with another object of the name, or of the name in another group', () => {
    const again = event('12', phase('Pending'), { ...POD, uid: 'u2' });
    const other = event('13', phase('Failed'), { ...POD, apiVersion: 'example.com/v1', uid: 'u3' });
    expect(wordsOf(event('9', phase('Running')), again, other)).toEqual([undefined, undefined, undefined]);
  });

  it('name what a write sends that is new, and only what the server takes from it', () => {
    const body = { spec: { nodeName: 'node-1' }, ...phase('Running') };
    expect(
      wordsOf(
        event('9', phase('Pending')),
        request('patch', 'status', body),
        request('update', undefined, body),
        request('update', 'status', phase('Pending')),
        request('create', 'binding', { target: { name: 'node-2' } }),
        request('delete', undefined, body),
      ),
    ).toEqual([undefined, 'phase Pending → Running', 'nodeName node-1', undefined, 'nodeName node-2', undefined]);
    expect(wordsOf(request('patch', 'status', phase('Failed')))).toEqual(['phase Failed']);
  });

  it('count what does not fit, and never exceed their length', () => {
    const conditions = Array.from({ length: 20 }, (_, i) => ({ type: `Condition${i}`, status: 'True' }));
    const [, words] = wordsOf(event('9', {}), event('10', { status: { conditions } }));
    expect(words).toBe('Condition0 True, Condition1 True +18');
    const [, long] = wordsOf(
      event('9', {}),
      event('10', { status: { conditions: [{ type: 'X'.repeat(60), status: 'True' }] } }),
    );
    expect(long).toBe('1 change');
  });

  it('say what is gone, and that an object is to be deleted', () => {
    const cordoned = { spec: { unschedulable: true } };
    const going = { metadata: { deletionTimestamp: '2026-11-21T04:13:27Z' } };
    expect(wordsOf(event('9', cordoned), event('10', {}), event('11', going))).toEqual([
      undefined,
      'unschedulable gone',
      'deletionTimestamp',
    ]);
  });

  it('leave out what the redaction replaced, and survive any body', () => {
    const hidden = { spec: { holderIdentity: 'REDACTED' } };
    expect(wordsOf(event('9', {}), event('10', hidden))[1]).toBe(undefined);
    for (const body of [
      null,
      [],
      'text',
      7,
      { status: [] },
      { status: { conditions: {} } },
      { spec: { containers: [null] } },
    ])
      expect(wordsOf(request('patch', 'status', body), request('patch', undefined, body))).toEqual([
        undefined,
        undefined,
      ]);
  });
});
