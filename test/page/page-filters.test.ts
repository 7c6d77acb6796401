// What a reader's choices show of a page, its search, times, statistics and address: its model without a browser, held against the messages of
// the same capture and against `kubeseq top`.

import { beforeAll, describe, expect, it } from 'vitest';
import { addressOf, readAddress } from '../../src/explorer/address.js';
import { type ChartRow, EVENT, type Model, modelCounts, viewObjectText } from '../../src/explorer/model.js';
import { SearchIndex } from '../../src/explorer/search.js';
import { type ExchangeCounts, statisticsOf } from '../../src/explorer/statistics.js';
import { type Choice, firstChoice } from '../../src/explorer/visibility.js';
import { BODIES_BLOCK, MESSAGES_BLOCK } from '../../src/render/html/html-format.js';
import { rowParts } from '../../src/render/html/row-parts.js';
import { kubeseq } from '../kit/command.js';
import { packedLines } from '../kit/page-data.js';
import { drawnLines, type Line, linesOf, seqsOf, shownRows, unfoldAll, writtenPage } from '../kit/shown-page.js';

const CAPTURE = 'fixtures/run-nginx-http1/capture.pcap.gz';

let html: string;
let model: Model;
let lines: Line[];
let drawn: Line[];
let halves: Map<number, { request?: Line; response?: Line }>;
beforeAll(() => {
  ({ html, model } = writtenPage([CAPTURE]));
  lines = linesOf(['--bodies', CAPTURE]);
  drawn = drawnLines([CAPTURE]);
  halves = new Map(lines.map(({ exchange }) => [exchange, {}]));
  for (const line of lines)
    if (line.kind === 'request' || line.kind === 'response')
      halves.set(line.exchange, { ...halves.get(line.exchange), [line.kind]: line });
});

const halvesOf = ({ exchange }: Line): { request?: Line; response?: Line } => halves.get(exchange) ?? {};
const shownSeqs = (change?: (choice: Choice) => void): number[] => seqsOf(shownRows(model, change));
const wordOf = (word: string): number => model.view.words.indexOf(word);

describe('filters', () => {
  it('are by verb and by participant: requests with their answers', () => {
    const exchanges = new Set(drawn.filter(({ verb }) => verb === 'patch').map(({ exchange }) => exchange));
    expect(exchanges.size).toBeGreaterThan(2);
    expect(shownSeqs(({ verbs }) => verbs.add(wordOf('patch')))).toEqual(
      seqsOf(drawn.filter(({ exchange }) => exchanges.has(exchange))),
    );
    const scheduler = model.view.participants.findIndex(({ name }) => name === 'kube-scheduler');
    const own = drawn.filter(({ from, to }) => from === 'kube-scheduler' || to === 'kube-scheduler');
    expect(shownSeqs(({ participants }) => participants.add(scheduler))).toEqual(seqsOf(own));
    const pods = drawn.filter((line) => (line.resource ?? halvesOf(line).request?.resource) === 'pods');
    expect(shownSeqs(({ resources }) => resources.add(wordOf('pods')))).toEqual(seqsOf(pods));
  });

  it('say how many messages each value has', () => {
    const counts = modelCounts(model);
    const sets = ['participants', 'verbs', 'resources', 'objects', 'namespaces'] as const;
    const shown = sets.map((name) =>
      counts[name === 'participants' ? 'ends' : name].map(
        (_, value) =>
          shownSeqs((choice) => {
            unfoldAll(model, choice);
            choice[name].add(value);
          }).length,
      ),
    );
    expect(shown).toEqual(sets.map((name) => counts[name === 'participants' ? 'ends' : name]));
    expect(counts.folds.map((_, i) => model.rows.filter(({ fold }) => fold === i).length)).toEqual(counts.folds);
  });

  it('are by object: its requests with their answers, the Events about it, and the watch events that triggered something', () => {
    const isAbout = (line: Line): boolean => {
      const { request, response } = halvesOf(line);
      const isPod = (one: { kind: string; name: string | null }): boolean => one.kind === 'Pod' && one.name === 'nginx';
      const k8sEvent = line.k8sEvent ?? (line.kind === 'event' ? undefined : (request?.k8sEvent ?? response?.k8sEvent));
      if (k8sEvent !== undefined) return isPod(k8sEvent);
      if (line.kind === 'event') return line.object !== undefined && isPod(line.object);
      return request?.resource === 'pods' && request.name === 'nginx';
    };
    const shown = new Set([...seqsOf(drawn), ...lines.map(({ causedBy }) => causedBy)]);
    const story = lines.filter((line) => isAbout(line) && (line.kind !== 'event' || shown.has(line.seq)));
    expect(story.length).toBeGreaterThan(20);
    const object = model.view.objects.findIndex((one) => viewObjectText(one) === 'pods default/nginx');
    expect(shownSeqs(({ objects }) => objects.add(object))).toEqual(seqsOf(story));
  });

  it('are by namespace', () => {
    const namespaceOf = (line: Line): string | null | undefined => {
      const { kind, namespace, name } = line.object ?? {};
      if (line.kind !== 'event' || name == null) return halvesOf(line).request?.namespace;
      return kind === 'Namespace' ? name : namespace;
    };
    const place = model.namespaces.indexOf('kube-system');
    const seqs = shownSeqs((choice) => {
      unfoldAll(model, choice);
      choice.namespaces.add(place);
    });
    const isOfEvent = (line: Line): boolean =>
      (line.k8sEvent ?? halvesOf(line).request?.k8sEvent ?? halvesOf(line).response?.k8sEvent) !== undefined;
    const own = lines.filter((line) => !isOfEvent(line) && namespaceOf(line) === 'kube-system');
    expect(own.length).toBeGreaterThan(20);
    expect(seqs.filter((seq) => !isOfEvent(lines[seq - 1]))).toEqual(seqsOf(own));
  });

  it('are by time, both ends included', () => {
    // No event is shown for another half.
    const events = model.rows.filter(({ kind }) => kind === EVENT);
    const [first, last] = [events[3], events[40]];
    const within = shownRows(model, (choice) => {
      unfoldAll(model, choice);
      choice.time = { from: first.micros, to: last.micros };
    });
    const between = model.rows.filter(({ micros }) => micros >= first.micros && micros <= last.micros);
    expect(seqsOf(within)).toEqual(expect.arrayContaining(seqsOf(between)));
    // Beyond the time is only the other half of what is in it.
    const exchanges = new Set(between.map(({ exchange }) => exchange));
    for (const { exchange } of within) expect(exchanges).toContain(exchange);
  });

  it('find words of fields, heads and bodies', () => {
    const binding = lines.find(({ subresource, kind }) => subresource === 'binding' && kind === 'request') as Line;
    const { uid } = (binding.body as { metadata: { uid: string } }).metadata;
    const index = new SearchIndex(packedLines(html, MESSAGES_BLOCK), packedLines(html, BODIES_BLOCK));
    const found = index.find(uid.toUpperCase(), model.rows);
    expect(seqsOf([...found])).toEqual(seqsOf(lines.filter((line) => JSON.stringify(line).includes(uid))));
    expect(seqsOf([...found])).toContain(binding.seq);
    const exchanges = new Set([...found].map(({ exchange }) => exchange));
    const seqs = shownSeqs((choice) => {
      choice.found = found;
    });
    expect(seqs).toContain(binding.seq);
    for (const seq of seqs) expect(exchanges).toContain(lines[seq - 1].exchange);
  });
});

describe('times', () => {
  /** Of `12 ms`. */
  function millisecondsOf(text: string): number {
    const [, number, unit] = /^ ([\d.]+) (µs|ms|s)$/.exec(text) ?? [];
    return Number(number) * { µs: 1e-3, ms: 1, s: 1e3 }[unit as 'ms'];
  }

  it('stand at each answer, to two digits', () => {
    const names = model.view.participants.map(({ name }) => name);
    const texts = model.rows.map((row) => rowParts(row, model.view.labels[row.index], names).after);
    expect(texts.filter((text) => text !== '').length).toBeGreaterThan(100);
    for (const [i, { latencyMs }] of lines.entries()) {
      if (latencyMs === undefined) expect(texts[i]).toBe('');
      else
        expect(Math.abs(millisecondsOf(texts[i]) - latencyMs)).toBeLessThanOrEqual(Math.max(0.001, 0.06 * latencyMs));
    }
  });

  it('and counts of requests and errors are those of `top`', () => {
    interface TopRow {
      readonly requests: number;
      readonly errors: number;
      readonly latencyMs: { readonly p50: number; readonly p99: number } | null;
    }
    const top = JSON.parse(kubeseq(['top', '-q', '--by', 'client', '-o', 'json', CAPTURE]).stdout) as {
      readonly total: TopRow;
      readonly rows: readonly (TopRow & { readonly client: string })[];
    };
    const all = shownRows(model, (choice) => unfoldAll(model, choice));
    const { total, clients, servers } = statisticsOf(model, all);
    const requests = lines.filter(({ kind }) => kind === 'request');
    expect(seqsOf(total.requests)).toEqual(seqsOf(requests));
    expect(seqsOf(total.errors)).toEqual(
      seqsOf(lines.filter(({ kind, status = 0 }) => kind === 'response' && status >= 400)),
    );
    expect(seqsOf(total.unanswered)).toEqual(seqsOf(requests.filter((line) => halvesOf(line).response === undefined)));
    const names = new Map(clients.map((one) => [model.view.participants[one.participant].name, one]));
    // The diagram has the controllers of the manager one by one.
    const rows = top.rows.filter(({ client }) => names.has(client) && client !== 'kube-controller-manager');
    expect(rows.length).toBeGreaterThan(2);
    const pairs = [...rows.map((row) => [row, names.get(row.client)] as const), [top.total, total] as const];
    for (const [expected, own] of pairs as [TopRow, ExchangeCounts][]) {
      expect([own.requests.length, own.errors.length]).toEqual([expected.requests, expected.errors]);
      // Percentiles of `top` are at most 2 % too high.
      for (const part of ['p50', 'p99'] as const) {
        const ms = expected.latencyMs?.[part] ?? 0;
        expect(Math.abs((own[part]?.latency ?? 0) / 1e3 - ms)).toBeLessThanOrEqual(0.02 * ms + 0.001);
      }
    }
    const counted = (some: readonly ExchangeCounts[]): number =>
      some.reduce((sum, one) => sum + one.requests.length, 0);
    expect([counted(clients), counted(servers)]).toEqual([requests.length, requests.length]);
    const sizes = clients.map((one) => one.requests.length);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  });
});

describe('the address', () => {
  const written = (change: (choice: Choice) => void, opened: number | null = null, search = ''): string => {
    const choice = firstChoice(model);
    change(choice);
    return addressOf(model, choice, { opened, search }, new Set());
  };
  const read = (hash: string): Choice & ReturnType<typeof readAddress> => {
    const choice = firstChoice(model);
    const address = readAddress(hash, model, choice);
    return { ...choice, ...address };
  };
  const numberOf = (one: ChartRow | number): number => (typeof one === 'number' ? one : one.seq);
  const plain = (choice: Choice): unknown =>
    Object.fromEntries(
      Object.keys(firstChoice(model)).map((name) => {
        const value = choice[name as keyof Choice];
        return [
          name,
          value instanceof Set ? [...(value as Set<ChartRow | number>)].map(numberOf).sort((a, b) => a - b) : value,
        ];
      }),
    );

  it('is empty for the page as it opens, and names what is chosen', () => {
    expect(written(() => {})).toBe('');
    expect(read('')).toMatchObject({ opened: null, search: '', isChosen: false });
    const verb = wordOf('patch');
    expect(written(({ verbs }) => verbs.add(verb), null, 'nginx')).toBe('#verb=patch&find=nginx');
    const object = model.view.objects.findIndex((one) => viewObjectText(one) === 'pods default/nginx');
    const hash = written(({ objects }) => objects.add(object), 7);
    expect(decodeURIComponent(hash)).toBe('#m7&object=pods+default/nginx');
  });

  it('gives every choice back', () => {
    const changes: ((choice: Choice) => void)[] = [
      ({ verbs }) => verbs.add(wordOf('patch')).add(wordOf('get')),
      ({ resources }) => resources.add(wordOf('pods')),
      ({ participants }) => participants.add(1),
      ({ objects }) => objects.add(3),
      ({ namespaces }) => namespaces.add(1),
      ({ stories }) => stories.add(0),
      ({ layers }) => layers.clear(),
      ({ revealed }) => revealed.add(model.rows[5]).add(model.rows[90]),
      (choice) => unfoldAll(model, choice),
      (choice) => void Object.assign(choice, { problems: true, time: { from: 1_000_001, to: 2_500_000 } }),
      (choice) => void Object.assign(choice, { time: { from: 0, to: Number.POSITIVE_INFINITY } }),
    ];
    for (const change of changes) {
      const choice = firstChoice(model);
      change(choice);
      const back = read(written(change, 12, 'a b&c=d'));
      expect(plain(back)).toEqual(plain(choice));
      expect([back.opened, back.search, back.isChosen]).toEqual([12, 'a b&c=d', true]);
    }
  });

  it('names nothing that the page does not have, nor rows that were unfolded to be opened', () => {
    const back = read('#mx&verb=%3Cimg+src%3Dx%3E&object=nobody&from=x&row=9e99+0&find=%3Cb%3E');
    expect([back.opened, back.search]).toEqual([null, '<b>']);
    expect([back.verbs.size, back.objects.size, back.revealed.size]).toEqual([0, 0, 0]);
    const [visited] = model.rows;
    const choice = firstChoice(model);
    choice.revealed.add(visited);
    expect(addressOf(model, choice, { opened: 1, search: '' }, new Set([visited]))).toBe('#m1');
  });
});
