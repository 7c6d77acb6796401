// What an expectation means, rule by rule: stories of few messages, the expectations that hold on them and those that do not.

import { describe, expect, it } from 'vitest';
import { PODS, storyOf } from '../../test/kit/stories.js';
import type { Message } from '../kubernetes/messages/message.js';
import { type CheckVerdict, check, ObservationIndex } from './check.js';
import { parseDiagram } from './syntax/parse.js';

const HEAD = `sequenceDiagram
participant C as kubectl; participant AS as kube-apiserver; participant S as kube-scheduler
participant M as kube-controller-manager; participant R as replicaset-controller
`;
/** Line of the first arrow. */
const FIRST = 4;

interface Row {
  readonly name: string;
  readonly story: string;
  /** Arrows in turn; `pods/` is the path of Pods. */
  readonly holds: readonly string[];
  /** The arrow that is named as not matched, from 1, and why. */
  readonly fails: readonly (string | readonly [arrows: string, arrow: number, why: string])[];
}

const WATCHED = 'C->>AS: [REQ] GET pods?watch=true; AS-->>C: [RESP] 200 OK';
const CUT = 'AS--xC: [END] cut: FIN, 4.0 s without a byte';
const CUT_OF_PODS = 'AS--xC: [REQ] GET /api/v1/namespaces/*/pods?watch=true';
const NEVER_OF_PODS = `${WATCHED}; %% never: ** --x C: [REQ] GET /api/v1/**/pods?watch=true`;
const NEVER_ANY = `${WATCHED}; %% never: ** --x **: [END] …`;
const SERVICES = 'C->>AS: [REQ] GET /api/v1/namespaces/default/services?watch=true';
const asked = 'C watches pods; C watches services; C GET a; answer 1; answer 2; answer 3';
const A_AND_B = 'C->>AS: [REQ] GET pods/a; C->>AS: [REQ] GET pods/b';
const ADDED_A = 'AS->>S: [RESP-CHUNK] Pod ADDED - a';
const ADDED_B = 'AS->>S: [RESP-CHUNK] Pod ADDED - b';
const PATCH_A = 'S->>AS: [REQ] PATCH pods/a';
const DELETE_A = 'C->>AS: [REQ] DELETE pods/a';
const OF_WEB = 'R->>AS: [REQ] PATCH pods/web-1';
const WEB = 'AS->>R: [RESP-CHUNK] Pod ADDED - web';
const BLOCKS = 'S told ADDED a; S PATCH a; C GET a; C GET b; C GET a';
const get = (name: string): string => `C->>AS: [REQ] GET pods/${name}`;
const alt = (a: string, b: string): string => `alt x; ${get(a)}; else y; ${get(b)}; end`;

const ROWS: readonly Row[] = [
  {
    name: 'cut: --x is an exchange that was cut, of what stands above it; another arrow is none',
    story: `${asked}; cut 1`,
    holds: [
      `${WATCHED}; ${CUT}`,
      `${WATCHED}; ${CUT.replace('--x', '-x')}`,
      `${WATCHED}; AS--xC: [END] cut: …`,
      `${SERVICES}; ${WATCHED}; ${CUT}`,
      CUT_OF_PODS,
      `${WATCHED}; ${CUT_OF_PODS}`,
    ],
    fails: [
      `${CUT}; ${WATCHED}`,
      ...['->>', '-->>', '-)'].flatMap((arrow) => [CUT.replace('--x', arrow), CUT_OF_PODS.replace('--x', arrow)]),
      'C--xAS: [REQ] GET pods?watch=true',
      NEVER_OF_PODS,
    ],
  },
  {
    name: 'cut: of another watch',
    story: `${asked}; cut 2`,
    holds: [`${SERVICES}; ${WATCHED}; ${CUT}`, NEVER_OF_PODS, `${WATCHED}; %% never: ** --x **: [END] gave up …`],
    fails: [`${WATCHED}; ${CUT}`, CUT_OF_PODS, NEVER_ANY],
  },
  { name: 'cut: of a get', story: `${asked}; cut 3`, holds: [CUT], fails: [`${WATCHED}; ${CUT}`, CUT_OF_PODS] },
  { name: 'cut: none', story: asked, holds: [NEVER_ANY], fails: [`${WATCHED}; ${CUT}`, CUT_OF_PODS] },
  {
    name: '(1) inside an exchange: request before response, and the response is its own',
    story: 'C GET a; C GET b; answer 2 409; answer 1 200',
    holds: [
      `${get('a')}; AS-->>C: [RESP] 200 OK`,
      `${A_AND_B}; AS-->>C: [RESP] 200 OK; AS-->>C: [RESP] 409 Conflict`,
      `${A_AND_B}; AS-->>C: [RESP] 409 Conflict; AS-->>C: [RESP] 200 OK`,
    ],
    fails: [
      [`${get('a')}; AS-->>C: [RESP] 409 Conflict`, 2, 'it has the label [RESP] 200 OK'],
      `AS-->>C: [RESP] 200 OK; ${get('a')}`,
      `${A_AND_B}; AS-->>C: [RESP] 200 OK; AS-->>C: [RESP] 200 OK`,
    ],
  },
  {
    name: '(2) what a participant received comes before what it sends about the same object',
    // Of two watches: the events of one are in turn.
    story: 'S PATCH a; S told ADDED a; S told ADDED b in 2',
    holds: [`${ADDED_B}; ${PATCH_A}`, `${PATCH_A}; ${ADDED_A}`, `${ADDED_B}; ${ADDED_A}`],
    fails: [[`${ADDED_A}; ${PATCH_A}`, 2, 'it came before line 4 (frame 1), which has to come first']],
  },
  {
    name: '(2) also where one object owns the other',
    story: 'R PATCH web-1; M told ADDED ReplicaSet/web; M told ADDED web-1 of ReplicaSet/web',
    holds: [`${OF_WEB}; ${WEB.replace('Pod', 'ReplicaSet')}`, `${OF_WEB}; ${WEB}-1`],
    fails: [`${WEB.replace('Pod', 'ReplicaSet')}; ${OF_WEB}`, `${WEB}-1; ${OF_WEB}`],
  },
  {
    name: '(2) and where the other one is owned',
    story: 'R PATCH web; M told ADDED web-1 of Pod/web',
    holds: [`R->>AS: [REQ] PATCH pods/web; ${WEB}-1`],
    fails: [`${WEB}-1; R->>AS: [REQ] PATCH pods/web`],
  },
  {
    name: '(3) writes to one object keep their order, reads do not',
    story: 'S PATCH a; C DELETE a; C GET a; C DELETE b',
    holds: [
      `${PATCH_A}; ${DELETE_A}`,
      `${get('a')}; ${PATCH_A}`,
      `C->>AS: [REQ] DELETE pods/b; ${DELETE_A}`,
      `par x; ${DELETE_A}; and y; ${PATCH_A}; end`,
    ],
    fails: [`${DELETE_A}; ${PATCH_A}`, `par x; ${DELETE_A}; ${PATCH_A}; and y; ${PATCH_A}; end`],
  },
  {
    name: 'each arrow is a message of its own',
    story: 'C GET a; C GET a',
    holds: [`${get('a')}; ${get('a')}`],
    fails: [`${get('a')}; ${get('a')}; ${get('a')}`],
  },
  {
    name: 'a manager stands for each of its controllers, a controller receives what its manager receives',
    story: 'R PATCH a; M told ADDED a',
    holds: [
      'M->>AS: [REQ] PATCH pods/a; AS->>M: [RESP-CHUNK] Pod ADDED - a',
      `R->>AS: [REQ] PATCH pods/a; AS->>R: [RESP-CHUNK] Pod ADDED - a`,
    ],
    fails: [PATCH_A],
  },
  {
    name: 'names bind to the same text everywhere, whichever message comes first',
    story: 'S told ADDED a; S told ADDED b; S told ADDED c; S PATCH c',
    holds: ['AS->>S: [RESP-CHUNK] Pod ADDED - {pod}; S->>AS: [REQ] PATCH /api/v1/namespaces/{ns}/pods/{pod}'],
    fails: ['AS->>S: [RESP-CHUNK] Pod ADDED - {pod}; S->>AS: [REQ] DELETE /api/v1/namespaces/{ns}/pods/{pod}'],
  },
  {
    name: 'opt, break, alt, loop: what may be missing, one of them, once or more',
    story: BLOCKS,
    holds: [
      `${ADDED_A}; opt x; ${get('none')}; end; ${PATCH_A}`,
      `break x; ${get('none')}; end; ${PATCH_A}`,
      alt('none', 'b'),
      alt('a', 'none'),
      // The first that fits is the wrong one for what follows.
      `${alt('b', 'a')}; ${get('b')}`,
      `loop 5 times; ${get('a')}; end`,
    ],
    fails: [alt('none', 'nowhere'), `loop 5 times; ${get('none')}; end`],
  },
];

function verdict(arrows: string, messages: readonly Message[], workLimit?: number): CheckVerdict {
  const text = arrows.replaceAll(/ pods(?=[/?])/g, ` ${PODS}`).replaceAll('; ', '\n');
  return check(parseDiagram(`${HEAD}${text}`), new ObservationIndex(messages), { workLimit });
}

describe.each(ROWS)('$name', ({ story, holds, fails }) => {
  const messages = storyOf(story);

  it.each(holds)('holds: %s', (arrows) => {
    expect(verdict(arrows, messages)).toMatchObject({ met: true, undecided: null, failures: [] });
  });

  it.each(fails.map((one) => (typeof one === 'string' ? ([one, null, null] as const) : one)))(
    'fails: %s',
    (arrows, arrow, why) => {
      const { met, undecided, failures } = verdict(arrows, messages);
      expect([met, undecided, failures.length]).toEqual([false, null, 1]);
      if (arrow === null) return;
      expect([failures[0].line, failures[0].nearest?.differences]).toEqual([FIRST + arrow - 1, [why]]);
    },
  );
});

it('what a name means, and which messages are meant', () => {
  const flow = 'AS->>S: [RESP-CHUNK] Pod ADDED - {pod}; S->>AS: [REQ] PATCH /api/v1/namespaces/{ns}/pods/{pod}';
  const { names, matched } = verdict(flow, storyOf('S told ADDED a; S told ADDED b; S told ADDED c; S PATCH c'));
  expect(Object.fromEntries(names)).toEqual({ pod: 'c', ns: 'default' });
  expect(matched.map(({ message }) => message.seq)).toEqual([3, 4]);
});

it('what may be missing is matched where it is there', () => {
  const { matched } = verdict(`${ADDED_A}; opt x; ${get('a')}; end; ${PATCH_A}`, storyOf(BLOCKS));
  expect(matched).toHaveLength(3);
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
  const messages = storyOf(`M told ADDED a; R PATCH b by 1 ${how}${certain ? ' certain' : ''}`);
  const [patch, added] = ['R->>AS: [REQ] PATCH pods/b', 'AS->>M: [RESP-CHUNK] Pod ADDED - a'];
  expect(verdict(`${added}; ${patch}`, messages)).toMatchObject({ met: true, reordered: [] });
  const { met, reordered, failures } = verdict(`${patch}; ${added}`, messages);
  expect(met).toBe(may);
  expect(reordered).toEqual(may ? [{ above: FIRST, below: FIRST + 1 }] : []);
  expect(failures.map(({ nearest }) => nearest?.differences.join())).toEqual(
    may ? [] : [`it is the cause of line ${FIRST} (frame 1): in the expectation it has to stand above that line`],
  );
});

describe('work', () => {
  const many = (count: number, line: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => line(i)).join(';');

  it('is bounded, and the bound is reported', () => {
    const arrows = Array(3).fill(get('{x}')).join('; ');
    const { met, undecided } = verdict(arrows, storyOf(many(100, (i) => `C GET p${i}`)), 3);
    expect([met, undecided]).toEqual([false, expect.stringMatching(/^WORK_LIMIT: /)]);
  });

  it('does not explode where many equal arrows share too few messages', () => {
    const seen = storyOf(many(60, (i) => `C GET p${i % 2}; answer ${2 * i + 1}`));
    const pairs = Array(61)
      .fill(`${get('*')}; AS-->>C: [RESP] 200 OK`)
      .join('; ');
    expect(verdict(pairs, seen)).toMatchObject({ met: false, undecided: null });
  });

  it('does not explode over names of which only the last one fits', () => {
    const seen = storyOf(`${many(500, (i) => `S told ADDED p${i}`)};${many(500, (i) => `S GET p${i}`)};S PATCH p499`);
    const reads = ['{other}', '{pod}'].map((name) => `S->>AS: [REQ] GET pods/${name}`);
    const flow = ['AS->>S: [RESP-CHUNK] Pod ADDED - {pod}', ...reads, 'S->>AS: [REQ] PATCH pods/{pod}'].join('; ');
    expect(verdict(flow, seen)).toMatchObject({ met: true, undecided: null });
    expect(verdict(flow.replace('PATCH', 'DELETE'), seen)).toMatchObject({ met: false, undecided: null });
  });
});
