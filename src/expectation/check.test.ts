// What an expectation means, rule by rule, and against a judge that tries every assignment there is.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, MANAGER, message, REPLICASETS, SCHEDULER } from '../../test/kit/messages.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { type CheckVerdict, check, ObservationIndex } from './check.js';
import { type ArrowText, arrowTexts } from './syntax/diagram.js';
import { compileLabel, parsedLabelOf } from './syntax/label.js';
import { parseDiagram } from './syntax/parse.js';

const HEAD = `sequenceDiagram
participant C as kubectl
participant AS as kube-apiserver
participant S as kube-scheduler
participant M as kube-controller-manager
participant R as replicaset-controller
`;
const FIRST = HEAD.split('\n').length;

interface Story {
  readonly messages: Message[];
  ask(from: Participant, method: string, name: string, more?: Given): Message;
  answer(request: Message, status?: number): Message;
  tell(to: Participant, type: string, name: string, more?: Given): Message;
}

function story(): Story {
  const messages: Message[] = [];
  const add = (given: Given): Message => {
    const seq = messages.length + 1;
    const made = { ...message(given), seq, exchange: given.exchange ?? seq, time: BigInt(seq) * 1_000_000_000n };
    messages.push(made);
    return made;
  };
  return {
    messages,
    ask: (from, method, name, more) => {
      const target = `/api/v1/namespaces/default/pods/${name}`;
      return add({
        kind: 'request',
        from,
        to: APISERVER,
        method,
        target,
        label: `[REQ] ${method} ${target}`,
        verb: VERBS[method],
        resource: 'pods',
        namespace: 'default',
        name,
        ...more,
      });
    },
    answer: (request, status = 200) =>
      add({
        kind: 'response',
        from: APISERVER,
        to: request.from,
        exchange: request.exchange,
        status,
        label: `[RESP] ${status} ${status === 200 ? 'OK' : 'Conflict'}`,
      }),
    tell: (to, type, name, more) =>
      add({
        kind: 'event',
        from: APISERVER,
        to,
        exchange: 1000 + to.id,
        type,
        label: `[RESP-CHUNK] Pod ${type} - ${name}`,
        object: { kind: 'Pod', namespace: 'default', name, uid: `uid-${name}` },
        ...more,
      }),
  };
}

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PATCH: 'patch', DELETE: 'delete' };
const pod = (name: string): string => `/api/v1/namespaces/default/pods/${name}`;

function verdict(arrows: string, messages: readonly Message[], workLimit?: number): CheckVerdict {
  return check(parseDiagram(`${HEAD}${arrows}`), new ObservationIndex(messages), { workLimit });
}

function holds(arrows: string, { messages }: Story): boolean {
  const { met, undecided } = verdict(arrows, messages);
  expect(undecided).toBeNull();
  return met;
}

describe('cuts', () => {
  /** Watches of two resources and a get, of which one is cut. */
  function cut(which: 'pods' | 'services' | 'get' | null): Story {
    const seen = story();
    const watch = (resource: string): Message => {
      const target = `/api/v1/namespaces/default/${resource}?watch=true`;
      return seen.ask(KUBECTL, 'GET', '', {
        verb: 'watch',
        resource,
        target,
        label: `[REQ] GET ${target}`,
        name: undefined,
      });
    };
    const asked = { pods: watch('pods'), services: watch('services'), get: seen.ask(KUBECTL, 'GET', 'a') };
    for (const request of Object.values(asked)) seen.answer(request);
    if (which !== null) {
      const { exchange, method, target, verb, resource } = asked[which];
      const label = '[END] cut: FIN, 4.0 s without a byte';
      const made = {
        ...message({ kind: 'end', from: APISERVER, to: KUBECTL, label, method, target, verb, resource, exchange }),
      };
      seen.messages.push({
        ...made,
        seq: seen.messages.length + 1,
        time: 60_000_000_000n,
        cut: { by: 'server', how: 'FIN' },
      });
    }
    return seen;
  }
  const watched = 'C->>AS: [REQ] GET /api/v1/namespaces/default/pods?watch=true\nAS-->>C: [RESP] 200 OK\n';
  const isCut = 'AS--xC: [END] cut: FIN, 4.0 s without a byte';

  it('--x is an exchange that was cut, of what stands above it', () => {
    expect(holds(watched + isCut, cut('pods'))).toBe(true);
    expect(holds(watched + isCut.replace('--x', '-x'), cut('pods'))).toBe(true);
    expect(holds(`${watched}AS--xC: [END] cut: …`, cut('pods'))).toBe(true);
    for (const other of ['services', 'get', null] as const) expect(holds(watched + isCut, cut(other))).toBe(false);
    // Of what stands above it, any; and where nothing of its client does.
    const both = `C->>AS: [REQ] GET /api/v1/namespaces/default/services?watch=true\n${watched}`;
    for (const either of ['pods', 'services'] as const) expect(holds(both + isCut, cut(either))).toBe(true);
    expect(holds(isCut, cut('get'))).toBe(true);
    expect(holds(isCut + `\n${watched}`, cut('pods'))).toBe(false);
  });

  it('--x with a request is the cut of such a one', () => {
    const ofPods = 'AS--xC: [REQ] GET /api/v1/namespaces/*/pods?watch=true';
    expect(holds(ofPods, cut('pods'))).toBe(true);
    expect(holds(watched + ofPods, cut('pods'))).toBe(true);
    for (const other of ['services', 'get', null] as const) expect(holds(ofPods, cut(other))).toBe(false);
    expect(holds(ofPods.replace('--x', '->>'), cut('pods'))).toBe(false);
  });

  it('another arrow is none', () => {
    for (const arrow of ['->>', '-->>', '-)']) expect(holds(isCut.replace('--x', arrow), cut('pods'))).toBe(false);
    expect(holds('C--xAS: [REQ] GET /api/v1/namespaces/default/pods?watch=true', cut('pods'))).toBe(false);
  });

  it('%% never: a cut, of any or of one', () => {
    const never = (arrow: string): string => `${watched}%% never: ${arrow}`;
    const ofPods = '** --x C: [REQ] GET /api/v1/**/pods?watch=true';
    expect(holds(never(ofPods), cut('pods'))).toBe(false);
    expect(holds(never(ofPods), cut('services'))).toBe(true);
    expect(holds(never('** --x **: [END] …'), cut('services'))).toBe(false);
    expect(holds(never('** --x **: [END] …'), cut(null))).toBe(true);
    expect(holds(never('** --x **: [END] gave up …'), cut('services'))).toBe(true);
  });
});

describe('order', () => {
  it('(1) inside an exchange: request before response, and the response is its own', () => {
    const seen = story();
    const a = seen.ask(KUBECTL, 'GET', 'a');
    const b = seen.ask(KUBECTL, 'GET', 'b');
    seen.answer(b, 409);
    seen.answer(a, 200);
    expect(holds(`C->>AS: [REQ] GET ${pod('a')}\nAS-->>C: [RESP] 200 OK`, seen)).toBe(true);
    expect(holds(`C->>AS: [REQ] GET ${pod('a')}\nAS-->>C: [RESP] 409 Conflict`, seen)).toBe(false);
    expect(holds(`AS-->>C: [RESP] 200 OK\nC->>AS: [REQ] GET ${pod('a')}`, seen)).toBe(false);
    // Both wait: the answers may come either way, one for each.
    const both = `C->>AS: [REQ] GET ${pod('a')}\nC->>AS: [REQ] GET ${pod('b')}\n`;
    expect(holds(`${both}AS-->>C: [RESP] 200 OK\nAS-->>C: [RESP] 409 Conflict`, seen)).toBe(true);
    expect(holds(`${both}AS-->>C: [RESP] 409 Conflict\nAS-->>C: [RESP] 200 OK`, seen)).toBe(true);
    expect(holds(`${both}AS-->>C: [RESP] 200 OK\nAS-->>C: [RESP] 200 OK`, seen)).toBe(false);
  });

  it('(2) what a participant received comes before what it sends about the same object', () => {
    const seen = story();
    seen.ask(SCHEDULER, 'PATCH', 'a');
    seen.tell(SCHEDULER, 'ADDED', 'a');
    // In another watch: the events of one are in turn.
    seen.tell(SCHEDULER, 'ADDED', 'b', { exchange: 2000 });
    const told = (name: string): string => `AS->>S: [RESP-CHUNK] Pod ADDED - ${name}\n`;
    expect(holds(`${told('a')}S->>AS: [REQ] PATCH ${pod('a')}`, seen)).toBe(false);
    expect(holds(`${told('b')}S->>AS: [REQ] PATCH ${pod('a')}`, seen)).toBe(true);
    expect(holds(`S->>AS: [REQ] PATCH ${pod('a')}\n${told('a')}`, seen)).toBe(true);
    // Receipts among themselves say nothing.
    expect(holds(`${told('b')}${told('a')}`, seen)).toBe(true);
  });

  it('(2) also where one object owns the other', () => {
    const seen = story();
    const owners = [{ kind: 'ReplicaSet', name: 'web', uid: 'uid-web' }];
    seen.ask(REPLICASETS, 'PATCH', 'web-1');
    seen.tell(MANAGER, 'ADDED', 'web', {
      object: { kind: 'ReplicaSet', namespace: 'default', name: 'web', uid: 'uid-web' },
    });
    seen.tell(MANAGER, 'ADDED', 'web-1', {
      object: { kind: 'Pod', namespace: 'default', name: 'web-1', uid: 'uid-web-1', owners },
    });
    const told = 'AS->>R: [RESP-CHUNK] Pod ADDED - web';
    expect(holds(`${told}\nR->>AS: [REQ] PATCH ${pod('web-1')}`, seen)).toBe(false);
    expect(holds(`R->>AS: [REQ] PATCH ${pod('web-1')}\n${told}`, seen)).toBe(true);
  });

  it('(3) writes to one object keep their order, reads do not', () => {
    const seen = story();
    seen.ask(SCHEDULER, 'PATCH', 'a');
    seen.ask(KUBECTL, 'DELETE', 'a');
    seen.ask(KUBECTL, 'GET', 'a');
    seen.ask(KUBECTL, 'DELETE', 'b');
    expect(holds(`S->>AS: [REQ] PATCH ${pod('a')}\nC->>AS: [REQ] DELETE ${pod('a')}`, seen)).toBe(true);
    expect(holds(`C->>AS: [REQ] DELETE ${pod('a')}\nS->>AS: [REQ] PATCH ${pod('a')}`, seen)).toBe(false);
    expect(holds(`C->>AS: [REQ] GET ${pod('a')}\nS->>AS: [REQ] PATCH ${pod('a')}`, seen)).toBe(true);
    expect(holds(`C->>AS: [REQ] DELETE ${pod('b')}\nC->>AS: [REQ] DELETE ${pod('a')}`, seen)).toBe(true);
  });

  it.each([
    ['notification', true, false],
    ['notification', false, true],
    ['requeue', false, true],
    ['store', false, true],
    ['webhook', false, true],
    ['forwarded', false, false],
    ['stream', false, false],
  ] as const)('a cause comes first: %s, certain %s; its effect may stand above it: %s', (how, certain, may) => {
    const seen = story();
    const { seq } = seen.tell(MANAGER, 'ADDED', 'a');
    seen.ask(REPLICASETS, 'PATCH', 'b', { causedBy: seq, cause: { seq, how, certain, others: [seq] } });
    const patch = `R->>AS: [REQ] PATCH ${pod('b')}\n`;
    const added = 'AS->>M: [RESP-CHUNK] Pod ADDED - a\n';
    expect(holds(added + patch, seen)).toBe(true);
    const { met, reordered, failures } = verdict(patch + added, seen.messages);
    expect(met).toBe(may);
    expect(reordered).toEqual(may ? [{ above: FIRST, below: FIRST + 1 }] : []);
    expect(failures.map(({ nearest }) => nearest?.differences.join())).toEqual(
      may ? [] : [`it is the cause of line ${FIRST} (frame 1): in the expectation it has to stand above that line`],
    );
  });

  it('each arrow is a message of its own', () => {
    const seen = story();
    seen.ask(KUBECTL, 'GET', 'a');
    seen.ask(KUBECTL, 'GET', 'a');
    const arrow = `C->>AS: [REQ] GET ${pod('a')}\n`;
    expect(holds(arrow.repeat(2), seen)).toBe(true);
    expect(holds(arrow.repeat(3), seen)).toBe(false);
  });
});

describe('participants', () => {
  const seen = story();
  seen.ask(REPLICASETS, 'PATCH', 'a');
  seen.tell(MANAGER, 'ADDED', 'a');

  it('a manager stands for each of its controllers, a controller receives what its manager receives', () => {
    expect(holds(`M->>AS: [REQ] PATCH ${pod('a')}\nAS->>M: [RESP-CHUNK] Pod ADDED - a`, seen)).toBe(true);
    expect(holds(`R->>AS: [REQ] PATCH ${pod('a')}\nAS->>R: [RESP-CHUNK] Pod ADDED - a`, seen)).toBe(true);
    expect(holds(`S->>AS: [REQ] PATCH ${pod('a')}`, seen)).toBe(false);
  });
});

describe('names', () => {
  it('bind to the same text everywhere, whichever message comes first', () => {
    const seen = story();
    for (const name of ['a', 'b', 'c']) seen.tell(SCHEDULER, 'ADDED', name);
    seen.ask(SCHEDULER, 'PATCH', 'c');
    const { met, names, matched } = verdict(
      'AS->>S: [RESP-CHUNK] Pod ADDED - {pod}\nS->>AS: [REQ] PATCH /api/v1/namespaces/{ns}/pods/{pod}',
      seen.messages,
    );
    expect(met).toBe(true);
    expect(Object.fromEntries(names)).toEqual({ pod: 'c', ns: 'default' });
    expect(matched.map((one) => one.message.seq)).toEqual([3, 4]);
    expect(
      holds('AS->>S: [RESP-CHUNK] Pod ADDED - {pod}\nS->>AS: [REQ] DELETE /api/v1/namespaces/{ns}/pods/{pod}', seen),
    ).toBe(false);
  });
});

describe('blocks', () => {
  const seen = story();
  seen.tell(SCHEDULER, 'ADDED', 'a');
  seen.ask(SCHEDULER, 'PATCH', 'a');
  seen.ask(KUBECTL, 'GET', 'a');
  seen.ask(KUBECTL, 'GET', 'b');
  seen.ask(KUBECTL, 'GET', 'a');
  const told = 'AS->>S: [RESP-CHUNK] Pod ADDED - a\n';
  const patch = `S->>AS: [REQ] PATCH ${pod('a')}\n`;
  const get = (name: string): string => `C->>AS: [REQ] GET ${pod(name)}\n`;

  it('par: no order between its branches, order inside them', () => {
    const write = `C->>AS: [REQ] DELETE ${pod('a')}\n`;
    const more = story();
    more.ask(SCHEDULER, 'PATCH', 'a');
    more.ask(KUBECTL, 'DELETE', 'a');
    expect(holds(`${write}${patch}`, more)).toBe(false);
    expect(holds(`par x\n${write}and y\n${patch}end`, more)).toBe(true);
    expect(holds(`par x\n${write}${patch}and y\n${patch}end`, more)).toBe(false);
  });

  it('opt and break: may be missing', () => {
    expect(holds(`${told}opt x\nC->>AS: [REQ] GET ${pod('none')}\nend\n${patch}`, seen)).toBe(true);
    const { matched } = verdict(`${told}opt x\n${get('a')}end\n${patch}`, seen.messages);
    expect(matched).toHaveLength(3);
    expect(holds(`break x\nC->>AS: [REQ] GET ${pod('none')}\nend\n${patch}`, seen)).toBe(true);
  });

  it('alt: one of them', () => {
    const alt = (a: string, b: string): string => `alt x\n${a}else y\n${b}end\n`;
    expect(holds(alt(get('none'), get('b')), seen)).toBe(true);
    expect(holds(alt(get('a'), get('none')), seen)).toBe(true);
    expect(holds(alt(get('none'), get('nowhere')), seen)).toBe(false);
    // The first that fits may be the wrong one for what follows.
    expect(holds(`${alt(get('b'), get('a'))}${get('b')}`, seen)).toBe(true);
  });

  it('loop: once or more', () => {
    expect(holds(`loop 5 times\n${get('a')}end`, seen)).toBe(true);
    expect(holds(`loop 5 times\n${get('none')}end`, seen)).toBe(false);
  });

  it('critical: exactly this, in exactly this order', () => {
    const critical = (body: string): string => `critical x\n${body}end`;
    expect(holds(critical(`${get('a')}${get('b')}${get('a')}`), seen)).toBe(true);
    expect(holds(critical(`${get('b')}${get('a')}`), seen)).toBe(true);
    expect(holds(critical(`${get('a')}${get('a')}`), seen)).toBe(false);
    expect(holds(critical(`${get('a')}opt x\n${get('b')}end\n${get('a')}`), seen)).toBe(true);
    expect(holds(critical(`par x\n${get('b')}and y\n${get('a')}end\n${get('a')}`), seen)).toBe(true);
    expect(holds(critical(`loop x\nC->>AS: [REQ] GET ${pod('*')}\nend\n`), seen)).toBe(true);
    expect(holds(critical(`${told}${get('a')}`), seen)).toBe(false);
  });

  it('a loop whose round may be empty ends', () => {
    expect(holds(`critical x\n${get('a')}loop y\nopt z\n${get('none')}end\nend\n${get('b')}end`, seen)).toBe(true);
  });
});

describe('failures', () => {
  it('name what would have to come first', () => {
    const seen = story();
    seen.ask(SCHEDULER, 'PATCH', 'a');
    seen.tell(SCHEDULER, 'ADDED', 'a');
    const { failures } = verdict(`AS->>S: [RESP-CHUNK] Pod ADDED - a\nS->>AS: [REQ] PATCH ${pod('a')}`, seen.messages);
    expect(failures.map(({ line }) => line)).toEqual([FIRST + 1]);
    expect(failures[0].nearest?.differences).toEqual([
      `it came before line ${FIRST} (frame 1), which has to come first`,
    ]);
  });

  it('name the response that came instead', () => {
    const seen = story();
    seen.answer(seen.ask(KUBECTL, 'GET', 'a'), 409);
    const { failures } = verdict(`C->>AS: [REQ] GET ${pod('a')}\nAS-->>C: [RESP] 200 OK`, seen.messages);
    expect(failures[0].nearest?.differences).toEqual(['it has the label [RESP] 409 Conflict']);
  });
});

describe('work', () => {
  it('is bounded, and the bound is reported', () => {
    const seen = story();
    for (let i = 0; i < 100; i++) seen.ask(KUBECTL, 'GET', `p${i}`);
    const { met, undecided } = verdict(`C->>AS: [REQ] GET ${pod('{x}')}\n`.repeat(3), seen.messages, 3);
    expect(met).toBe(false);
    expect(undecided).toMatch(/^WORK_LIMIT: /);
  });

  it('does not explode where many equal arrows share too few messages', () => {
    const seen = story();
    for (let i = 0; i < 60; i++) seen.answer(seen.ask(KUBECTL, 'GET', `p${i % 2}`), 200);
    const pairs = `C->>AS: [REQ] GET ${pod('*')}\nAS-->>C: [RESP] 200 OK\n`.repeat(61);
    const { met, undecided } = verdict(pairs, seen.messages);
    expect([met, undecided]).toEqual([false, null]);
  });

  it('does not explode over names of which only the last one fits', () => {
    const seen = story();
    for (let i = 0; i < 500; i++) seen.tell(SCHEDULER, 'ADDED', `p${i}`);
    for (let i = 0; i < 500; i++) seen.ask(SCHEDULER, 'GET', `p${i}`);
    seen.ask(SCHEDULER, 'PATCH', 'p499');
    const flow = `AS->>S: [RESP-CHUNK] Pod ADDED - {pod}\n${`S->>AS: [REQ] GET ${pod('{other}')}\n`}S->>AS: [REQ] GET ${pod('{pod}')}\n`;
    expect(holds(`${flow}S->>AS: [REQ] PATCH ${pod('{pod}')}`, seen)).toBe(true);
    expect(holds(`${flow}S->>AS: [REQ] DELETE ${pod('{pod}')}`, seen)).toBe(false);
  });
});

// ── a judge that knows the rules and nothing else ──

const LABELS = [
  `C->>AS: [REQ] PATCH ${pod('a')}`,
  `C->>AS: [REQ] PATCH ${pod('{x}')}`,
  `C->>AS: [REQ] GET ${pod('*')}`,
  `S->>AS: [REQ] PATCH ${pod('{x}')}`,
  `S->>AS: [REQ] PATCH ${pod('b')}`,
  'AS->>S: [RESP-CHUNK] Pod ADDED - {x}',
  'AS->>S: [RESP-CHUNK] Pod ADDED - a',
  'AS->>C: [RESP-CHUNK] Pod * - {y}',
  'AS-->>C: [RESP] 200 OK',
  'AS-->>C: [RESP] 2xx|409',
  'AS-->>S: [RESP] 409 Conflict',
];

const scenes = fc.array(
  fc.tuple(fc.constantFrom(KUBECTL, SCHEDULER), fc.nat(4), fc.constantFrom('a', 'b'), fc.nat(30)),
  {
    maxLength: 8,
  },
);

function played(scene: readonly (readonly [Participant, number, string, number])[]): Story {
  const seen = story();
  const open: Message[] = [];
  for (const [who, what, name, which] of scene) {
    if (what === 0) open.push(seen.ask(who, 'PATCH', name));
    else if (what === 1) open.push(seen.ask(who, 'GET', name));
    else if (what === 2 && open.length > 0) {
      const [request] = open.splice(which % open.length, 1);
      seen.answer(request, which % 2 === 0 ? 200 : 409);
    } else seen.tell(who, 'ADDED', name);
  }
  return seen;
}

/** Every assignment, each held against the rules of contract.md pair by pair. */
function judged(arrows: readonly ArrowText[], messages: readonly Message[], strict: boolean): boolean {
  const participants: Readonly<Record<string, Participant>> = { C: KUBECTL, S: SCHEDULER, AS: APISERVER };
  const patterns = arrows.map(({ label }) => compileLabel(label));
  const requests = new Map(messages.flatMap((one) => (one.kind === 'request' ? [[one.exchange, one]] : [])));
  const subject = (one: Message): string | undefined =>
    one.name ?? one.object?.name ?? requests.get(one.exchange)?.name;
  const open = openRequests(
    arrows,
    patterns.map(({ tag }) => tag),
  );
  const walk = (at: number, chosen: readonly Message[], names: ReadonlyMap<string, string>): boolean => {
    if (at === arrows.length) return true;
    return messages.some((one) => {
      if (chosen.includes(one) || one.from !== participants[arrows[at].from] || one.to !== participants[arrows[at].to])
        return false;
      if (open[at].length > 0 && !open[at].some((i) => chosen[i].exchange === one.exchange)) return false;
      for (const [i, above] of chosen.entries()) {
        const same = subject(above) === subject(one);
        const received = arrows[i].to === arrows[at].from;
        const written = [above, one].every(({ verb }) => verb === 'patch');
        // What kubectl does below an answer: people run it. Several answers that it waits for may come either way.
        const awaited = above.kind === 'response' && (strict || above.to === KUBECTL);
        const below = one.from === above.to || (one.to === above.to && open[at].length === 0);
        const ordered = above.exchange === one.exchange || (same && (received || written)) || (awaited && below);
        if (ordered && messages.indexOf(above) > messages.indexOf(one)) return false;
      }
      return (patterns[at].read(parsedLabelOf(one)) ?? []).some((values) => {
        const bound = new Map(names);
        for (const [i, name] of patterns[at].names.entries()) {
          const value = values[i] as string;
          if ((bound.get(name) ?? value) !== value) return false;
          bound.set(name, value);
        }
        return walk(at + 1, [...chosen, one], bound);
      });
    });
  };
  return walk(0, [], new Map());
}

/** Which requests above an answer can belong to: those that were not all answered yet. */
function openRequests(arrows: readonly ArrowText[], tags: readonly (string | null)[]): number[][] {
  const open = new Map<string, { asked: number[]; pending: number }>();
  return arrows.map(({ from, to }, i) => {
    if (tags[i] === 'REQ') {
      const waiting = open.get(`${to}${from}`) ?? { asked: [], pending: 0 };
      open.set(`${to}${from}`, { asked: [...waiting.asked, i], pending: waiting.pending + 1 });
      return [];
    }
    const waiting = open.get(`${from}${to}`);
    if (tags[i] !== 'RESP' || waiting === undefined) return [];
    if (waiting.pending <= 1) open.delete(`${from}${to}`);
    else open.set(`${from}${to}`, { ...waiting, pending: waiting.pending - 1 });
    return waiting.asked;
  });
}

describe('properties', () => {
  it('the matcher and the judge agree', () => {
    let met = 0;
    fc.assert(
      fc.property(
        scenes,
        fc.array(fc.constantFrom(...LABELS), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        (scene, lines, strict) => {
          const { messages } = played(scene);
          const diagram = parseDiagram(`${HEAD}${strict ? '%% order: strict\n' : ''}${lines.join('\n')}`);
          const expected = judged(arrowTexts(diagram.body), messages, strict);
          if (expected) met += 1;
          expect(check(diagram, new ObservationIndex(messages)).met).toBe(expected);
        },
      ),
      { numRuns: 3000 },
    );
    expect(met).toBeGreaterThan(100);
  });

  it('what is drawn line by line from a story holds on it, and without one of its messages does not', () => {
    fc.assert(
      fc.property(scenes, fc.nat(), (scene, which) => {
        const { messages } = played(scene);
        const ids = new Map([
          [KUBECTL, 'C'],
          [SCHEDULER, 'S'],
          [APISERVER, 'AS'],
        ]);
        const lines = messages.map(({ from, to, label }) => `${ids.get(from)} ->> ${ids.get(to)}: ${label}`);
        const diagram = parseDiagram(`${HEAD}${lines.join('\n')}`);
        expect(check(diagram, new ObservationIndex(messages)).met).toBe(true);
        const rest = messages.filter((_, i) => i !== which % messages.length);
        if (messages.length > 0) expect(check(diagram, new ObservationIndex(rest)).met).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
