// A diagram of what came from a time on (`--since`): watches that were opened before are noted as set up earlier, and causes stay.

import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { buildSequence } from '../../src/index.js';
import { observed } from '../kit/diagrams.js';

describe('from the first request of kubectl on', async () => {
  const { messages, notices } = await observed('run-nginx-http1/capture.pcap');
  const create = messages.find(({ from, verb }) => from.component === 'kubectl' && verb === 'create')!;
  const { steps } = buildSequence({ messages, notices }, { selected: ({ time }) => time >= create.time });
  const drawn = arrowsOf(steps).map(({ message }) => message);

  it('nothing that came before is drawn', () => {
    expect(drawn[0]).toBe(create);
    expect(drawn.every(({ seq }) => seq >= create.seq)).toBe(true);
  });

  it('the watches of drawn events were opened earlier, as notes say; all of the whole diagram are drawn', () => {
    const events = drawn.filter(({ kind }) => kind === 'event');
    const requests = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
    const before = events.filter(({ exchange }) => requests.get(exchange)!.seq < create.seq);
    expect(before.length).toBeGreaterThan(0);
    const lines = notesOf(steps).map(({ lines }) => lines);
    const earlier = lines.filter(([, when]) => when === '(opened earlier)');
    expect(earlier.map(([what]) => what)).toEqual(expect.arrayContaining(['watches Pod']));
    expect(lines.flat()).not.toContain('(opened before the capture)');
    expect(lines.flat()).toContain('After k8s setup');
    const whole = buildSequence({ messages, notices });
    expect(notesOf(whole.steps).flatMap(({ lines: all }) => all)).not.toContain('(opened earlier)');
  });
});
