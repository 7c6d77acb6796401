import { describe, expect, it } from 'vitest';
import { message } from '../../../test/messages.js';
import type { Arrow, Lifeline, Note, Sequence } from '../../diagram/model.js';
import { renderMermaid } from './mermaid.js';
import { distancesOf } from './mermaid-room.js';

const IDS = ['C', 'AS', 'S', 'L'];
const participants: readonly Lifeline[] = IDS.map((id) => ({ id, name: id, component: id, evidence: [] }));
const arrow = (from: string, to: string, label: string): Arrow => ({
  kind: 'arrow',
  message: message({ label }),
  from,
  to,
  activates: false,
  deactivates: false,
});
const note = (...over: [string] | [string, string]): Note => ({ kind: 'note', over, lines: ['x '.repeat(200).trim()] });
const sequence = (...steps: Sequence['steps']): Sequence => ({
  participants,
  steps,
  closing: [],
  folded: {},
  drawn: 1,
  total: 1,
});
const LONG = '[RPC] RuntimeService/StartContainer web in nonet (031b653a5e26)';

describe('the room of notes', () => {
  it('is what the longest label between two neighbours needs', () => {
    const room = distancesOf(sequence(arrow('C', 'AS', LONG), arrow('AS', 'C', '[RESP] 200 OK')));
    expect(room.of(note('C', 'AS'))).toBe(LONG.length + 2);
    expect(room.of(note('AS', 'S'))).toBe(48);
  });

  it('is no larger for labels between others, and the sum over several', () => {
    const room = distancesOf(sequence(arrow('AS', 'L', LONG), arrow('S', 'AS', '[REQ] POST /api/v1/namespaces')));
    expect(room.of(note('AS', 'L'))).toBe('[REQ] POST /api/v1/namespaces'.length + 2 + 28);
    expect(room.of(note('L'))).toBe(Number.POSITIVE_INFINITY);
  });

  it('is where lines of notes end', () => {
    const text = renderMermaid(sequence(arrow('C', 'AS', LONG), note('C', 'AS'), note('C', 'L')));
    const widths = [...text.matchAll(/Note over [\w,]+: (.*)/g)].map(([, lines]) =>
      Math.max(...lines.split('<br>').map(({ length }) => length)),
    );
    expect(widths[0]).toBeLessThanOrEqual(LONG.length + 2);
    expect(widths[0]).toBeGreaterThan(LONG.length - 4);
    expect(widths[1]).toBeGreaterThan(84);
    expect(widths[1]).toBeLessThanOrEqual(90);
  });
});
