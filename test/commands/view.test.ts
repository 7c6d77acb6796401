// `kubeseq view`: the state behind the screen on real captures, and the command in a pseudo-terminal.

import { describe, expect, it } from 'vitest';
import { KEYS } from '../../src/cli/view/keys.js';
import { filterOver } from '../../src/cli/view/list-filter.js';
import { ViewData } from '../../src/cli/view/view-data.js';
import { Viewer } from '../../src/cli/view/viewer.js';
import { cellsOf, type Message, MessageStage, type Notice } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { HOSTILE, hostileCapture } from '../kit/hostile.js';
import { observed } from '../kit/observed.js';
import { madeCorpus } from '../kit/planted/corpus.js';
import { leaksIn } from '../kit/planted/search.js';
import { NO_TERMINAL, TerminalSession } from '../kit/terminal.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const notStarting = await observeWhole('not-starting-tls');

const NOT_STARTING = [
  'fixtures/not-starting-tls/control-plane.pcap.gz',
  'fixtures/not-starting-tls/node-1.pcap.gz',
  '--keylog',
  'fixtures/not-starting-tls/keys.log.gz',
];

/** Numbers of printed messages. */
function seqsOf(ndjson: string): readonly number[] {
  const lines = ndjson.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
}

interface Pressed {
  press(...keys: readonly string[]): readonly string[];
  readonly isOver: boolean;
}

/** A viewer of messages, on a screen of 120 times 30. @returns the screen after keys: names, or a text to type. */
function viewing(seen: { readonly messages: readonly Message[]; readonly notices: readonly Notice[] }): Pressed {
  const { messages } = seen;
  const first = messages[0]?.time ?? 0n;
  const data = new ViewData(seen, { drawing: {}, first, title: 'capture', notices: [] });
  const viewer = new Viewer(data, filterOver(messages, undefined));
  const screen = (): readonly string[] => viewer.screen(30, 120).rows.map(({ text }) => text.trimEnd());
  screen();
  return {
    press(...keys) {
      for (const key of keys) {
        if (key.startsWith('type:'))
          for (const text of key.slice(5)) viewer.press({ name: text === ' ' ? 'space' : text, text });
        else viewer.press({ name: key, text: key.length === 1 ? key : '' });
        screen();
      }
      return screen();
    },
    get isOver() {
      return viewer.isOver;
    },
  };
}

/** Numbers of the messages whose lines are seen. */
function numbersOn(screen: readonly string[]): readonly number[] {
  return screen
    .slice(2, -1)
    .flatMap((line) => /^. *(\d+) {2}/.exec(line)?.[1] ?? [])
    .map(Number);
}

/** Numbers of all messages in the list. */
function listed(view: Pressed): readonly number[] {
  const numbers = new Set<number>();
  let before = -1;
  let screen = view.press('home');
  while (numbers.size > before) {
    before = numbers.size;
    for (const seq of numbersOn(screen)) numbers.add(seq);
    screen = view.press('pagedown');
  }
  return [...numbers];
}

const all = notStarting.messages;
const withSeq = (seq: number): Message => all.find((message) => message.seq === seq) as Message;

describe('the list', () => {
  it('has what the diagram draws, and on a key every message', () => {
    const view = viewing(notStarting);
    const drawn = listed(view);
    expect(drawn.length).toBeGreaterThan(50);
    expect(drawn.length).toBeLessThan(all.length / 2);
    view.press('a');
    expect(listed(view)).toEqual(all.map(({ seq }) => seq));
    view.press('a');
    expect(listed(view)).toEqual(drawn);
  });

  it('is filtered by an expression as messages --where is', () => {
    const where = "verb == 'create' && resource == 'pods'";
    const { stdout } = kubeseq(['messages', ...NOT_STARTING, '--where', where]);
    const expected = seqsOf(stdout);
    expect(expected.length).toBeGreaterThan(1);
    const view = viewing(notStarting);
    view.press('a', 'f', `type:${where}`, 'enter');
    expect(listed(view)).toEqual(expected);
    view.press('escape');
    expect(listed(view)).toHaveLength(all.length);
  });

  it('is filtered by words, and keeps the answer to each request', () => {
    const view = viewing(notStarting);
    view.press('a', 'f', 'type:create pod', 'enter');
    const numbers = listed(view);
    const requests = numbers
      .map(withSeq)
      .filter(({ kind, verb, resource }) => kind === 'request' && verb === 'create' && resource === 'pods');
    expect(requests.length).toBeGreaterThan(0);
    for (const { exchange } of requests)
      expect(numbers).toContain(all.find((one) => one.exchange === exchange && one.kind === 'response')?.seq);
  });

  it('says what is wrong with an expression, and asks on', () => {
    const view = viewing(notStarting);
    expect(view.press('f', 'type:verb ==', 'enter').at(-1)).toMatch(/^filter: verb == {3}\S/);
    expect(view.press('ctrl-u', 'type:nothing-has-this', 'enter').at(-1)).toContain('no message matches');
    view.press('escape');
    expect(view.isOver).toBe(false);
  });

  it('folds the messages of one exchange into a line', () => {
    const view = viewing(notStarting);
    view.press('a');
    const folded = view.press('X');
    expect(folded[0]).toContain('exchanges folded');
    const exchanges = new Set(all.map(({ exchange }) => exchange));
    const lines = listed(view);
    expect(lines).toHaveLength(exchanges.size);
    expect(lines).toEqual([...exchanges].map((exchange) => all.find((one) => one.exchange === exchange)?.seq));
  });

  it('searches from the cursor on, around the end and backwards', () => {
    const view = viewing(notStarting);
    view.press('a', '/', 'type:bind', 'enter');
    const found = all.filter(({ label }) => /bind/i.test(label)).map(({ seq }) => seq);
    const at = (): number => Number(/message (\d+),/.exec(view.press('enter')[0] ?? '')?.[1]);
    expect(found).toContain(at());
    view.press('escape');
    expect(view.press('/', 'type:no such text here', 'enter').at(-1)).toContain('not found');
  });
});

describe('causes', () => {
  const caused = all.find(
    ({ causedBy, kind }) => kind === 'request' && causedBy !== undefined && withSeq(causedBy)?.kind === 'event',
  ) as Message;

  it('c goes to the cause, e to the effect, Backspace back', () => {
    const view = viewing(notStarting);
    view.press('a', 'f', `type:seq == ${caused.seq}`, 'enter', 'enter');
    expect(view.press('c')[0]).toContain(`message ${caused.causedBy},`);
    expect(view.press('backspace')[0]).toContain(`message ${caused.seq},`);
  });

  it('the cause is marked beside the one with the cursor', () => {
    const view = viewing(notStarting);
    const cause = withSeq(caused.causedBy as number);
    view.press('a', 'f', `type:seq == ${caused.seq} || seq == ${cause.seq}`, 'enter', 'end');
    let screen = view.press('home');
    while (!screen.some((line) => line.startsWith('<'))) {
      const next = view.press('down');
      if (next.join() === screen.join()) break;
      screen = next;
    }
    expect(screen.find((line) => line.startsWith('<'))).toMatch(new RegExp(`^< *${cause.seq} `));
  });

  it('several effects are a list of their own', () => {
    const effects = new Map<number, number[]>();
    for (const { seq, causedBy } of all)
      if (causedBy !== undefined) effects.set(causedBy, [...(effects.get(causedBy) ?? []), seq]);
    const [seq, expected] = [...effects].find(([, list]) => list.length > 2) as [number, number[]];
    const view = viewing(notStarting);
    view.press('a', 'f', `type:seq == ${seq}`, 'enter');
    const screen = view.press('home', 'e');
    expect(screen[0]).toContain(`[effects of message ${seq}]`);
    expect(listed(view)).toEqual(expected);
  });

  it("o leaves the story of the message's object, as --follow does", () => {
    const created = all.find(
      ({ kind, verb, resource }) => kind === 'request' && verb === 'create' && resource === 'pods',
    ) as Message;
    const follow = ['--follow', `pod/${created.name}`, '-n', created.namespace ?? 'default'];
    const { stdout } = kubeseq(['messages', ...NOT_STARTING, ...follow]);
    const view = viewing(notStarting);
    view.press('a', 'f', `type:seq == ${created.seq}`, 'enter', 'home');
    expect(view.press('o')[0]).toContain(`[pods ${created.namespace}/${created.name}]`);
    expect(listed(view)).toEqual(seqsOf(stdout));
    expect(view.press('backspace')[0]).toContain(`[seq == ${created.seq}]`);
  });
});

describe('pages', () => {
  it('details explain the message, then show its head and body, redacted', () => {
    const created = all.find(
      ({ verb, resource, kind }) => kind === 'request' && verb === 'create' && resource === 'pods',
    ) as Message;
    const view = viewing(notStarting);
    const screen = view.press('a', 'f', `type:seq == ${created.seq}`, 'enter', 'home', 'enter');
    expect(screen[0]).toContain(`message ${created.seq}, frame`);
    expect(screen.join('\n')).toContain('from: ');
    expect(screen.join('\n')).toContain('cause: ');
    expect(view.press('end').join('\n')).toMatch(/[}\]]/);
  });

  it('the diagram has the messages of the list', () => {
    const view = viewing(notStarting);
    const screen = view.press('a', 'f', "type:verb == 'create' && resource == 'pods'", 'enter', 'd');
    expect(screen[0]).toContain('diagram of');
    expect(screen.join('\n')).toContain('kube-apiserver');
  });

  it('what could not be read is as the diagram says', async () => {
    const late = await observeWhole('late-start-tls');
    for (const [seen, args] of [
      [notStarting, NOT_STARTING],
      [late, ['fixtures/late-start-tls/capture.pcap.gz', '--keylog', 'fixtures/late-start-tls/keys.log.gz']],
    ] as const) {
      const last = kubeseq(['diagram', '-q', '-o', 'text', '--wide', '--no-overview', ...args])
        .stdout.trimEnd()
        .split('\n')
        .at(-1);
      expect(viewing(seen).press('!').join(' ')).toContain(last?.slice(0, 60));
    }
  });

  it('help lists every key', () => {
    const screen = viewing(notStarting).press('?');
    for (const [keys, meaning] of KEYS) {
      expect(screen.some((line) => line.startsWith(`${keys}  `))).toBe(true);
      expect(screen.join(' ').replaceAll(/ +/g, ' ')).toContain(meaning);
    }
  });
});

describe('what captures hold', () => {
  it('planted secrets stand on no page', async () => {
    const { planted, capture } = madeCorpus(['letters']);
    const seen = await observed([capture], { pipeline: new MessageStage({ keyLogs: [], bodies: true }) });
    const view = viewing(seen);
    view.press('a');
    let text = '';
    for (let i = 0; i < seen.messages.length; i++) {
      view.press('home', ...Array<string>(i).fill('down'), 'enter');
      let before = '';
      for (let page = view.press('home').join('\n'); page !== before; page = view.press('pagedown').join('\n')) {
        text += page;
        before = page;
      }
      view.press('escape');
    }
    expect(leaksIn(planted)(text)).toEqual([]);
    expect(text.length).toBeGreaterThan(10_000);
  });

  it('no character of a capture moves the cursor, and no row is wider than the screen', async () => {
    const seen = await observed([hostileCapture(HOSTILE)], {
      pipeline: new MessageStage({ keyLogs: [], bodies: true }),
    });
    const data = new ViewData(seen, { drawing: {}, first: 0n, title: 'x', notices: [] });
    const viewer = new Viewer(data, filterOver(seen.messages, undefined));
    for (const width of [40, 80, 120, 200])
      for (const name of [
        'home',
        'a',
        'enter',
        'pagedown',
        'escape',
        'd',
        'pagedown',
        'escape',
        'X',
        'o',
        'down',
        'enter',
        'escape',
      ]) {
        viewer.press({ name, text: '' });
        for (const { text } of viewer.screen(24, width).rows) {
          expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
          expect(cellsOf(text)).toBeLessThanOrEqual(width);
        }
      }
  });
});

describe.skipIf(NO_TERMINAL !== '')('on a terminal', () => {
  const CAPTURE = 'fixtures/run-nginx-http1/capture.pcap.gz';
  const SIZE = { rows: 24, columns: 100 };

  it('shows, searches, explains, draws and leaves the terminal as it was', async () => {
    const session = new TerminalSession(['view', CAPTURE], SIZE);
    await session.shows(/Enter details/);
    expect(session.screen[0]).toMatch(/^kubeseq {2}capture\.pcap\.gz {3}\d+ of \d+ messages/);
    session.press('/binding\r');
    session.press('\r');
    await session.shows(/^message \d+, frame \d+/);
    expect(session.screen.join('\n')).toMatch(/from: kube-scheduler/);
    session.press('\u001b');
    await session.shows(/Enter details/);
    session.press('fverb == "create"\r');
    await session.shows(/\[verb == "create"\]/);
    session.press('d');
    await session.shows(/diagram of \d+ messages/);
    session.press('q');
    await session.shows(/Enter details/);
    session.press('q');
    expect(await session.ended).toBe(0);
    expect(session.written).toContain('\u001b[?1049l');
    expect(session.screen.join('').trim()).toBe('');
  }, 40_000);

  it('fits a small terminal, and Ctrl-C leaves it', async () => {
    const session = new TerminalSession(['view', CAPTURE], { rows: 12, columns: 60 });
    await session.shows(/MESSAGE/);
    for (const line of session.screen) expect(line.length).toBeLessThanOrEqual(60);
    session.press('\u0003');
    expect(await session.ended).toBe(0);
  }, 40_000);

  it('reads its keys from the terminal where the capture is standard input', async () => {
    const session = new TerminalSession(['view', '-'], SIZE, {}, CAPTURE);
    await session.shows(/standard input {3}\d+ of/);
    session.press('q');
    expect(await session.ended).toBe(0);
  }, 40_000);
});

it('without a terminal it says what to use', () => {
  const { status, stderr, stdout } = kubeseq(['view', 'fixtures/run-nginx-http1/capture.pcap.gz']);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toBe('kubeseq: view needs a terminal; messages and diagram print what it shows\n');
});
