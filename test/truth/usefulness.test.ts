// What redaction leaves of what people come for, on the fixtures where most is said: those of the stories about trouble. The
// whole table is printed by `npm run usefulness`.

import { describe, expect, it } from 'vitest';
import { COLUMNS, isKept, kept, measure, partsOfDiagram, wentWrong, wordsOf } from '../../lab/usefulness/measure.js';
import { TRIES_ALL } from '../kit/runs.js';

describe('the measure', () => {
  const DIAGRAM = `sequenceDiagram
    participant C as kubectl
    C ->>+ AS: [REQ] GET /api/v1/namespaces/default/pods/web/exec?command=sh<br>&command=-c&container=web
    C ->>+ AS: [REQ] GET /api/v1/pods?labelSelector=app=web&key=hunter2
    AS -->>- C: [RESP] 404 Not Found
    Note over C,AS: NotFound: pods #34;web#34; not<br>found`;

  it('takes a diagram apart', () =>
    expect(partsOfDiagram(DIAGRAM)).toEqual({
      names: ['participant C as kubectl'],
      arrows: [
        'C ->>+ AS: [REQ] GET /api/v1/namespaces/default/pods/web/exec?…',
        'C ->>+ AS: [REQ] GET /api/v1/pods?labelSelector=app=web&key=…',
        'AS -->>- C: [RESP] 404 Not Found',
      ],
      statuses: ['[RESP] 404 Not Found'],
      notes: ['NotFound: pods "web" not found'],
      reasons: ['NotFound'],
    }));

  it('counts words that are gone', () => {
    expect(kept(wordsOf(['pods "web" not found, web']), wordsOf(['pods "…" not found, web']))).toEqual([4, 5]);
    expect(kept(['a', 'a', 'b'], ['a', 'c'])).toEqual([1, 3]);
  });

  it('finds what went wrong', () =>
    expect(wentWrong('requests 3\nproblems, most severe first\n  Pod a\n  Pod b\nnext\n  c')).toEqual([
      '  Pod a',
      '  Pod b',
    ]));

  it('wants every arrow, and 95 % of words', () => {
    expect(isKept('arrows', [99, 100])).toBe(false);
    expect(isKept('reasons', [100, 100])).toBe(true);
    expect(isKept('notes', [94, 100])).toBe(false);
    expect(isKept('went wrong', [95, 100])).toBe(true);
  });
});

// Fewest words of notes and of *went wrong* that are there to be kept: a diagram without any would keep all.
const MEASURED: [name: string, notes: number, wrong: number][] = [
  ['lacks-tls', 1000, 500],
  ['not-starting-tls', 900, 600],
  ['volumes-tls', 600, 150],
];

describe.each(TRIES_ALL ? MEASURED : MEASURED.slice(0, 1))('%s', (name, notes, wrong) => {
  let measured: ReturnType<typeof measure> | undefined;
  const whole = () => (measured ??= measure(name));

  it('prints something', () => {
    const { counts } = whole();
    expect(counts.notes[1]).toBeGreaterThan(notes);
    expect(counts['went wrong'][1]).toBeGreaterThan(wrong);
    for (const column of ['arrows', 'names', 'statuses', 'reasons'] as const)
      expect(counts[column][1]).toBeGreaterThan(9);
  });

  it.each(COLUMNS)('keeps its %s', (column) => {
    const { counts, lost } = whole();
    expect(isKept(column, counts[column]), `${counts[column].join(' of ')}: ${JSON.stringify(lost.slice(0, 5))}`).toBe(
      true,
    );
  });
});
