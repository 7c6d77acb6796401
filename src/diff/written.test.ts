import { describe, expect, it } from 'vitest';
import { parseDiagram } from '../expectation/syntax/parse.js';
import { wordsIn } from './written.js';

const NAME = 'a-very-long-name-'.repeat(8);
const shorten = (label: string): string => (label.length < 60 ? label : `${label.slice(0, 30)}…${label.slice(-20)}`);

function told(written: string, label: string): string {
  return wordsIn(parseDiagram(`sequenceDiagram\n  A ->> B: ${written}\n`, 1), shorten)(label);
}

describe('a label beside a written diagram', () => {
  const label = `[REQ] GET /api/v1/namespaces/shop/pods/${NAME}/status`;

  it.each([
    ['that has it whole', label, label],
    ['that has it as diagrams shorten it', shorten(label), shorten(label)],
    ['that has it wrapped', shorten(label).replace('/v1', '<br>/v1'), shorten(label)],
    ['with text left out', '[REQ] GET /…/shop/…/status', '[REQ] GET /…/shop/…/status'],
    ['that leaves its end out', '[REQ] GET /api/v1/namespaces/shop/…', '[REQ] GET /api/v1/namespaces/shop/…'],
    ['that has another end', '[REQ] GET /…/shop/…/scale', label],
    ['that has its parts in another order', '[REQ] GET /…/pods/…/shop/…/status', label],
  ])('%s', (_, written, said) => {
    expect(told(written, label)).toBe(said);
  });

  it('is not twice the same text', () => {
    expect(told('[REQ] GET /ab…ab/c', '[REQ] GET /ab/c')).toBe('[REQ] GET /ab/c');
  });

  it('has generated names as the diagram has them', () => {
    const written = '[REQ] GET /api/v1/namespaces/…/web-64c966cf88-6c5vr';
    expect(told(written, '[REQ] GET /api/v1/namespaces/shop/pods/web-76f957db5c-pft6w')).toBe(
      '[REQ] GET /api/v1/namespaces/…/web-{hash}-{suffix}',
    );
  });
});
