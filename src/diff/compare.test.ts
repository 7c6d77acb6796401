import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare as compareFlows, type Difference } from './compare.js';
import type { Item } from './item.js';

let exchanges = 0;

function compare(before: readonly Item[], after: readonly Item[]): Difference {
  return compareFlows({ items: before, notDrawn: [] }, { items: after, notDrawn: [] });
}

/** An exchange of its own: a request and its answer. */
function call(
  from: string,
  label: string,
  given: { status?: string; about?: string[]; writes?: boolean } = {},
): Item[] {
  exchanges += 1;
  const { status = '[RESP] 200 OK', about = [], writes = false } = given;
  const common = { about, exchange: exchanges, seq: exchanges, where: { line: exchanges } } as const;
  return [
    { ...common, kind: 'request', from, to: 'kube-apiserver', label: `[REQ] ${label}`, requestLabel: '', writes },
    {
      ...common,
      kind: 'response',
      from: 'kube-apiserver',
      to: from,
      label: status,
      requestLabel: `[REQ] ${label}`,
      writes: false,
    },
  ];
}

function drawn(to: string, label: string, about: string[]): Item {
  exchanges += 1;
  const where = { line: exchanges };
  return {
    kind: 'event',
    from: 'kube-apiserver',
    to,
    label: `[RESP-CHUNK] ${label}`,
    requestLabel: 'watch',
    about,
    writes: false,
    exchange: 0,
    seq: exchanges,
    where,
  };
}

function marked({ lines }: Difference): string[] {
  return lines
    .filter(({ kind }) => kind !== 'same')
    .map(({ kind, item }) => `${kind === 'added' ? '+' : '-'} ${item.from} ${item.label}`);
}

const flow = (): Item[] => [
  ...call('kubectl', 'POST /pods - nginx', { status: '[RESP] 201 Created', about: ['nginx'], writes: true }),
  drawn('kube-scheduler', 'Pod ADDED - nginx', ['nginx']),
  ...call('kube-scheduler', 'POST /pods/nginx/binding', { about: ['nginx'], writes: true }),
  drawn('kubelet', 'Pod ADDED - nginx', ['nginx']),
  ...call('kubelet', 'PATCH /pods/nginx/status', { about: ['nginx'], writes: true }),
];

describe('two flows', () => {
  it('that are the same have no difference', () => {
    expect(marked(compare(flow(), flow()))).toEqual([]);
  });

  it('of which one has more', () => {
    const extra = call('kubelet', 'GET /pods/nginx', { about: ['nginx'] });
    const difference = compare(flow(), [...flow(), ...extra]);
    expect(marked(difference)).toEqual(['+ kubelet [REQ] GET /pods/nginx', '+ kube-apiserver [RESP] 200 OK']);
    expect(difference.added).toEqual(extra);
    expect(compare([...flow(), ...extra], flow()).removed).toEqual(extra);
  });

  it('in which the same happens more often', () => {
    const poll = (): Item[] => call('kubectl', 'GET /pods/nginx', { about: ['nginx'] });
    const { repeated, added, removed, changed } = compare(
      [...flow(), ...poll()],
      [...flow(), ...poll(), ...poll(), ...poll()],
    );
    expect(repeated.map(({ item, before, after }) => [item.label, before, after])).toEqual([
      ['[REQ] GET /pods/nginx', 1, 3],
      ['[RESP] 200 OK', 1, 3],
    ]);
    expect([added, removed, changed]).toEqual([[], [], []]);
  });

  it('of which one was answered otherwise', () => {
    const before = call('kubectl', 'PUT /pods/nginx', { about: ['nginx'], writes: true });
    const after = call('kubectl', 'PUT /pods/nginx', { about: ['nginx'], writes: true, status: '[RESP] 409 Conflict' });
    const difference = compare(before, after);
    expect(difference.changed).toEqual([{ what: 'status', before: before[1], after: after[1] }]);
    expect(marked(difference)).toEqual(['- kube-apiserver [RESP] 200 OK', '+ kube-apiserver [RESP] 409 Conflict']);
  });

  it('of which one has another verb, or another subresource of the same object', () => {
    const put = call('kubelet', 'PUT /pods/nginx/status', { about: ['nginx'], writes: true });
    const patch = call('kubelet', 'PATCH /pods/nginx/status', { about: ['nginx'], writes: true });
    const scale = call('kubelet', 'PATCH /pods/nginx/scale', { about: ['nginx'], writes: true });
    expect(compare(put, patch).changed[0]).toEqual({ what: 'verb', before: put[0], after: patch[0] });
    expect(compare(patch, scale).changed[0]).toEqual({ what: 'target', before: patch[0], after: scale[0] });
  });

  it('that write to one object in another order', () => {
    const label = (): Item[] => call('a-controller', 'PATCH /pods/nginx', { about: ['nginx'], writes: true });
    const bind = (): Item[] => call('b-controller', 'PUT /pods/nginx', { about: ['nginx'], writes: true });
    const difference = compare([...label(), ...bind()], [...bind(), ...label()]);
    expect(difference.changed.map(({ what }) => what)).toContain('order');
    expect(marked(difference)).not.toEqual([]);
  });

  it('of which one acts before its delivery: a difference where that triggered it', () => {
    const event = drawn('kubelet', 'Pod MODIFIED - nginx', ['nginx']);
    const [request, response] = call('kubelet', 'DELETE /pods/nginx', { about: ['nginx'], writes: true });
    const after = [request, response, event];
    expect(marked(compare([event, request, response], after))).toEqual([]);
    const caused = [event, { ...request, follows: event.seq }, response];
    expect(compare(caused, after).changed).toMatchObject([{ what: 'order', before: { label: request.label } }]);
  });
});

it('what one side only leaves out is on both', () => {
  const [request, response] = call('kubelet', 'GET /pods/nginx');
  const items = flow();
  const drawn = { items: [...items, request, response], notDrawn: [] };
  expect(marked(compareFlows(drawn, { items, notDrawn: [request, response] }))).toEqual([]);
  expect(marked(compareFlows({ items, notDrawn: [request, response] }, drawn))).toEqual([]);
  expect(marked(compareFlows(drawn, { items, notDrawn: [request] }))).toEqual(['- kube-apiserver [RESP] 200 OK']);
});

describe('races are no differences', () => {
  it('the answer to kubectl and the event to the scheduler come either way', () => {
    const items = flow();
    const raced = [items[0], items[2], items[1], ...items.slice(3)];
    expect(marked(compare(items, raced))).toEqual([]);
  });

  it('whatever order unrelated objects come in', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...Array(12).keys()], { minLength: 12 }), (order) => {
        const calls = [...Array(12).keys()].map((i) =>
          call(`client-${i % 3}`, `GET /pods/p${i}`, { about: [`p${i}`] }),
        );
        const shuffled = order.flatMap((i) => calls[i]);
        return marked(compare(calls.flat(), shuffled)).length === 0;
      }),
    );
  });

  it('but what is left out is reported, whatever order the rest comes in', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...Array(10).keys()], { minLength: 10 }), fc.nat(9), (order, left) => {
        const calls = [...Array(10).keys()].map((i) => call('client', `GET /pods/p${i}`, { about: [`p${i}`] }));
        const rest = order.filter((i) => i !== left).flatMap((i) => calls[i]);
        const { removed, added } = compare(calls.flat(), rest);
        return added.length === 0 && removed.length === 2 && removed[0] === calls[left][0];
      }),
    );
  });
});

it('answers that have no request of their own are each one of the other side', () => {
  const answer = (label: string): Item => ({
    ...call('curl', 'GET /secrets', { status: label })[1],
    requestLabel: '',
    exchange: -1,
  });
  const answers = ['[RESP] 403 Forbidden', '[RESP] 429 Too Many Requests', '[RESP] 429 Too Many Requests'].map(answer);
  expect(marked(compare(answers, answers))).toEqual([]);
});

it('pairs equal requests by their answers, of each side by its own numbers of exchanges', () => {
  const GET = 'GET /api/v1/namespaces/default/pods/web';
  const NOT_FOUND = { status: '[RESP] 404 Not Found' };
  const before = [...call('kubectl', GET), ...call('kubectl', GET, NOT_FOUND)];
  const after = [...call('kubectl', GET, NOT_FOUND), ...call('kubectl', GET)];
  // A response whose request was sent before the second capture began.
  const [, late] = call('kubectl', 'GET /version', NOT_FOUND);
  const orphan = { ...late, exchange: before[0].exchange };
  const { lines } = compare(before, [...after, orphan]);
  const moved = lines.flatMap(({ kind, item }) => (kind === 'same' ? [] : [`${kind} ${item.label}`]));
  expect(moved.filter((line) => line.includes('[RESP]'))).toEqual(['added [RESP] 404 Not Found']);
});
