import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubeseqDiagram } from '../../../test/kit/diagrams.js';
import { arrowsOf } from '../../diagram/model.js';
import { escapePlantuml, escapePlantumlNote } from '../escape/plantuml-escape.js';
import { renderPlantuml } from './plantuml.js';

/** What PlantUML shows: `<U+XXXX>` undone (net.sourceforge.plantuml.creole CharHidder and AtomText). */
const shown = (text: string): string =>
  text.replace(/<U\+([0-9A-F]{4,6})>/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)));

/** The commands of a sequence diagram that are written, as PlantUML's own expressions have them. */
const COMMANDS = [
  // A comment: the number of the message below.
  /^' \d+$/,
  // What the last note leaves out.
  /^' (?:also delivered to|not drawn|of these|missing|complete)\b.*$/,
  /^(?:@startuml|@enduml|autonumber|end box|end|skinparam maxMessageSize \d+)$/,
  /^participant "[^"]*" as [A-Z][A-Z0-9]*$/,
  /^box "[^"]*"$/,
  /^[A-Z][A-Z0-9]* (?:->|-->|-\[#red\]-?>) [A-Z][A-Z0-9]*(?: \+\+| --)? : \S.*$/,
  /^note over [A-Z][A-Z0-9]*(?:, [A-Z][A-Z0-9]*)?$/,
  /^loop \S.*$/,
];

describe('a diagram', () => {
  it.each([
    ['run-nginx-http1/capture.pcap', 'pod/nginx'],
    ['errors-http1/capture.pcap', undefined],
    ['late-start-mixed/capture.pcap', undefined],
  ])('of %s has commands only, and every arrow', async (name, follow) => {
    const sequence = await kubeseqDiagram(name, { follow });
    const lines = renderPlantuml(sequence).trimEnd().split('\n');
    const arrows: string[] = [];
    let inNote = false;
    for (const line of lines) {
      if (line === 'end note') inNote = false;
      else if (!inNote) {
        expect(
          COMMANDS.some((command) => command.test(line)),
          line,
        ).toBe(true);
        inNote = line.startsWith('note over');
        if (/^\S+ -/.test(line)) arrows.push(shown(line.slice(line.indexOf(' : ') + 3)));
      }
    }
    expect(inNote).toBe(false);
    const labels = arrowsOf(sequence.steps).map(({ message }) => message.label);
    expect(arrows.map((label) => label.length)).toEqual(labels.map((label) => Math.min(120, label.length)));
    expect(arrows.filter((label, i) => !label.includes('…') && label !== labels[i])).toEqual([]);
  });

  it('balances its bars', async () => {
    const text = renderPlantuml(await kubeseqDiagram('run-nginx-http1/capture.pcap', { follow: 'pod/nginx' }));
    const open = new Map<string, number>();
    for (const [, from, to, marker] of text.matchAll(/^(\w+) -+> (\w+) (\+\+|--) :/gm)) {
      const participant = marker === '++' ? to : from;
      open.set(participant, (open.get(participant) ?? 0) + (marker === '++' ? 1 : -1));
      expect(open.get(participant)).toBeGreaterThanOrEqual(0);
    }
    expect([...open.values()].some((count) => count !== 0)).toBe(false);
    expect(open.size).toBeGreaterThan(0);
  });
});

describe('the escape', () => {
  it.each([
    ['[REQ] GET /api/v1/pods?watch=true&a=b', '[REQ] GET /api/v1/pods?watch=true&a=b'],
    ['%getenv("HOME")', '<U+0025>getenv(<U+0022>HOME<U+0022>)'],
    ['!include x', '<U+0021>include x'],
    ['@enduml', '<U+0040>enduml'],
    ['a\\nb', 'a<U+005C>nb'],
    [
      '**a** //b// __c__ --d-- ..',
      '<U+002A><U+002A>a<U+002A><U+002A> <U+002F><U+002F>b<U+002F><U+002F> <U+005F><U+005F>c<U+005F><U+005F> <U+002D><U+002D>d<U+002D><U+002D> <U+002E><U+002E>',
    ],
    ['[[http://x]]', '<U+005B><U+005B>http:<U+002F><U+002F>x]]'],
    ['<img:x>', '<U+003C>img:x<U+003E>'],
    ['$var ~ {{', '<U+0024>var <U+007E> <U+007B><U+007B>'],
    ['a\nb', 'a<U+FFFD>b'],
    ["' comment", '<U+0027> comment'],
  ])('%j', (text, expected) => expect(escapePlantuml(text)).toBe(expected));

  it.each(['end note', 'EndNote', ' end note'])('%j does not end a note', (text) => {
    expect(escapePlantumlNote(text)).not.toMatch(/^\s*end/i);
    expect(shown(escapePlantumlNote(text))).toBe(text);
  });

  it('is read back as what went in, and holds nothing that PlantUML acts on', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const line = escapePlantuml(text);
        const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, '\ufffd');
        expect(shown(line)).toBe(visible);
        expect(line.replace(/<U\+[0-9A-F]{4,6}>/g, 'U')).not.toMatch(
          /[\n\r"\\%$~<>{}|'#;^`]|\*\*|\/\/|__|--|\.\.|\[\[|^[!@*=|'-]/,
        );
      }),
    );
  });
});
