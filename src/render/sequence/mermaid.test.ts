import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubeseqDiagram } from '../../../test/kit/diagrams.js';
import { parseMermaid } from '../../../test/kit/mermaid.js';
import { APISERVER, COMPLETE_COVERAGE, KUBECTL, message } from '../../../test/kit/messages.js';
import { type Arrow, arrowsOf, type Lifeline, type Note, notesOf, type Sequence } from '../../diagram/model.js';
import { escapeMermaid, shorten, wrap } from '../escape/mermaid-escape.js';
import { lineWidthsOf, renderMermaid } from './mermaid.js';

function oneArrow(label: string, name = 'kubectl', note?: string): Sequence {
  const sent = message({ label });
  return {
    participants: [
      { id: 'C', name, component: 'kubectl', evidence: KUBECTL.evidence },
      { id: 'AS', name: 'kube-apiserver', component: 'kube-apiserver', evidence: APISERVER.evidence, box: 'a box' },
    ],
    steps: [
      { kind: 'arrow', message: sent, from: 'C', to: 'AS', activates: false, deactivates: false },
      ...(note === undefined ? [] : [{ kind: 'note' as const, over: ['C', 'AS'] as const, lines: [note] }]),
    ],
    closing: ['complete'],
    coverage: COMPLETE_COVERAGE,
    folded: {},
    drawn: 1,
    total: 1,
  };
}

/** The text as a person sees it in the diagram: what cannot be seen is shown as U+FFFD. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, '\ufffd');
}

const squeezed = (text: string): string => text.replace(/\s+/g, '');

describe('mermaid reads back what was written', () => {
  it.each([
    'foo #1 bar',
    'a; b',
    'wrap: me',
    'nowrap:x',
    '%%{init: {"theme":"dark"}}%%',
    'end',
    '<script>alert(1)</script>',
    'a->>b: c',
    '"quoted" \'single\' `tick`',
    'Note over C: x',
    '#35; #quot; &amp;',
    '```\n# heading',
    'zero\u200bwidth \u202eright-to-left',
    '$$\\frac{1}{2}$$',
    'participant x',
    '+ - * / \\ | ^ ~ { } [ ] ( )',
    '日本語 Ünïcode €',
  ])('%s', async (text) => {
    const parsed = await parseMermaid(renderMermaid(oneArrow(text, text, text)));
    expect(parsed.messages).toHaveLength(1);
    expect(squeezed(parsed.messages[0].text)).toBe(squeezed(visible(text)));
    expect(squeezed(parsed.actors.get('C') ?? '')).toBe(squeezed(visible(text)));
    expect(parsed.notes.map(squeezed)).toEqual([squeezed(visible(text))]);
  });

  it('any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 100 }), async (text) => {
        const parsed = await parseMermaid(renderMermaid(oneArrow(`x${text}`, `x${text}`, `x${text}`)));
        expect(parsed.messages.map((one) => squeezed(one.text))).toEqual([squeezed(visible(`x${text}`))]);
        expect(parsed.notes.map(squeezed)).toEqual([squeezed(visible(`x${text}`))]);
      }),
      { numRuns: 200 },
    );
  });
});

describe.each([
  ['run-nginx-http1/capture.pcap', 'pod/nginx'],
  ['run-nginx-http1/capture.pcap', undefined],
  ['errors-http1/capture.pcap', undefined],
])('the diagram of %s, following %s', async (capture, follow) => {
  const sequence = await kubeseqDiagram(capture, { follow });

  it('parses with its arrows, labels, notes and names', async () => {
    const parsed = await parseMermaid(renderMermaid(sequence));
    const arrows = arrowsOf(sequence.steps);
    expect(parsed.messages.map(({ from, to, text }) => [from, to, squeezed(text)])).toEqual(
      arrows.map(({ from, to, message: { label } }) => [from, to, squeezed(shorten(label))]),
    );
    expect(parsed.notes).toHaveLength(notesOf(sequence.steps).length);
    expect([...parsed.actors]).toEqual(sequence.participants.map(({ id, name }) => [id, name]));
  });
});

it('an empty diagram names what is missing', async () => {
  const { buildSequence } = await import('../../diagram/build.js');
  const encrypted = { kind: 'notice' as const, code: 'tls.no-secret' as const, detail: '', connection: 'a' };
  const parsed = await parseMermaid(renderMermaid(buildSequence({ messages: [], notices: [encrypted] })));
  expect(parsed.notes).toEqual([
    'no messages in the capturemissing in the capture: 1 encrypted connection without secrets',
  ]);
});

describe('escape', () => {
  it('leaves harmless text as it is', () => {
    const label = '[REQ] GET /api/v1/pods?watch=true&fieldSelector=status.phase!=Succeeded';
    expect(escapeMermaid(label)).toBe(label);
  });

  it('shortens visibly and keeps both ends', () => {
    const long = `/api/${'x'.repeat(300)}/status`;
    expect([...shorten(long)]).toHaveLength(120);
    expect(shorten(long)).toMatch(/^\/api\/x+…x+\/status$/);
    expect(shorten('short')).toBe('short');
    const digest = 'b064d5bc8a40ab7bb4be17e694be0db681171ab2502c41094471e5f4bdf4a280';
    expect(shorten(`/v2/nginx/blobs/sha256:${digest}?x`)).toBe('/v2/nginx/blobs/sha256:b064d5bc8a40…?x');
    expect([`${digest}0`, digest.slice(1)].map((id) => shorten(id))).toEqual([`${digest}0`, digest.slice(1)]);
  });

  it('wraps without losing a character', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z&/, ]{0,200}$/), (text) => squeezed(wrap(text).join('')) === squeezed(text)),
    );
  });
});

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
  closing: ['complete'],
  coverage: COMPLETE_COVERAGE,
  folded: {},
  drawn: 1,
  total: 1,
});
const LONG = '[RPC] RuntimeService/StartContainer web in nonet (031b653a5e26)';

describe('the widths of notes', () => {
  it('is what the longest label between two neighbours needs', () => {
    const widths = lineWidthsOf(sequence(arrow('C', 'AS', LONG), arrow('AS', 'C', '[RESP] 200 OK')));
    expect(widths.noteOf(note('C', 'AS'))).toBe(LONG.length + 2);
    expect(widths.noteOf(note('AS', 'S'))).toBe(48);
  });

  it('is no larger for labels between others, and the sum over several', () => {
    const widths = lineWidthsOf(sequence(arrow('AS', 'L', LONG), arrow('S', 'AS', '[REQ] POST /api/v1/namespaces')));
    expect(widths.noteOf(note('AS', 'L'))).toBe('[REQ] POST /api/v1/namespaces'.length + 2 + 28);
    expect(widths.noteOf(note('L'))).toBe(Number.POSITIVE_INFINITY);
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

it('draws more arrows than a call has room for arguments', () => {
  const one = oneArrow('x');
  const steps = Array.from({ length: 150_000 }, () => one.steps[0]);
  expect(renderMermaid({ ...one, steps }).split('\n').length).toBeGreaterThan(150_000);
});
