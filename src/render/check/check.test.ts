// Text of a capture or an expectation stays text in every report: no command, no markup, no control character.

import { JSDOM } from 'jsdom';
import { describe, expect, it } from 'vitest';
import { parseMermaid } from '../../../test/kit/mermaid.js';
import { APISERVER, KUBECTL, message } from '../../../test/kit/messages.js';
import { check, ObservationIndex } from '../../expectation/check.js';
import type { CheckReport } from '../../expectation/report.js';
import { expectationsOf } from '../../expectation/syntax/page.js';
import { failedDiagram, renderCheckGithub, renderCheckSummary } from './check-github.js';
import { renderCheckJson } from './check-json.js';
import { renderCheckJunit } from './check-junit.js';
import { renderCheckText } from './check-text.js';

const HOSTILE = [
  '\u001b[31mred\u001b[0m',
  'a\r\n::error file=x::injected',
  '##[set-env name=PATH]x',
  '<script>alert(1)</script>',
  ']]>&amp;"\'',
  '``` \n## heading',
  '%0A::warning::x',
  '\u202egnp\u202c',
  '#quot; ; end\nsequenceDiagram %%{init: {}}%%',
  '\ud800',
];

function reportOf(name: string): CheckReport {
  const source =
    'sequenceDiagram\nparticipant C as kubectl\nparticipant AS as kube-apiserver\nC ->> AS: [REQ] GET /a\nAS -->> C: [RESP] 200 OK\n';
  const target = `/api/v1/namespaces/default/pods/${name}`;
  const messages = [
    message({ seq: 1, exchange: 1, method: 'GET', target: '/a', label: '[REQ] GET /a' }),
    message({ seq: 2, exchange: 1, kind: 'response', from: APISERVER, to: KUBECTL, label: `[RESP] 500 ${name}` }),
    message({ seq: 3, exchange: 2, method: 'GET', target, label: `[REQ] GET ${target}` }),
  ];
  const [{ diagram }] = expectationsOf(source, false, name);
  const verdict = check(diagram, new ObservationIndex(messages));
  expect(verdict.failures).toHaveLength(1);
  const one = { file: `${name}.mmd`, name, line: 1, source, firstLine: 1, verdict };
  return { expectations: [one], budgets: [], missing: [`missing: ${name}`], start: 0n };
}

describe.each(HOSTILE.map((name) => [JSON.stringify(name), name]))('%s', (_, name) => {
  const report = reportOf(name);

  it('text: no control characters', () => {
    const lines = renderCheckText(report).split('\n');
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(lines).toHaveLength(8);
  });

  it('json: the same report', () => {
    const { expectations } = JSON.parse(renderCheckJson(report)) as { expectations: { name: string }[] };
    expect(expectations[0].name).toBe(name);
  });

  it('junit: well-formed, one test case', () => {
    const { window } = new JSDOM(renderCheckJunit(report), { contentType: 'text/xml' });
    expect(window.document.querySelectorAll('testcase')).toHaveLength(1);
    expect(window.document.querySelectorAll('script, parsererror')).toHaveLength(0);
  });

  it('github: one command, and no other', () => {
    const lines = renderCheckGithub(report).split('\n');
    expect(lines.filter((line) => line.trimStart().startsWith('::'))).toHaveLength(1);
    expect(lines.join('\n')).not.toContain('##[');
    expect(lines).toHaveLength(3);
  });

  it('summary: a difference ends where it ends, whatever its lines begin with', () => {
    const patch = '--- a.md\n+++ a.md\n ```mermaid\n-`````\n+<script>alert(1)</script>\n';
    const text = renderCheckSummary({ ...report, expectations: [] }, [{ file: 'a`b<i>.md', patch }]);
    expect(text).toMatch(/^### As it would pass: a\\`b\\<i\\>\.md\n\n`{6}diff\n/m);
    expect(text.split('\n').filter((line) => line.startsWith('``````'))).toEqual(['``````diff', '``````']);
  });

  it('summary: has the bytes that GitHub takes, and counts what it leaves out', () => {
    const patch = `${'+'.padEnd(400_000, 'x')}\n`;
    const text = renderCheckSummary(
      report,
      ['a', 'b', 'c', 'd'].map((file) => ({ file, patch })),
    );
    expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
    expect(text.match(/^### As it would pass: /gm)).toHaveLength(2);
    expect(text).toMatch(/\n2 more parts are not shown here: [^\n]+\n$/);
  });

  it('summary: its fences are closed, mermaid reads its diagram', async () => {
    const text = renderCheckSummary(report);
    expect(text.match(/^## /gm)).toHaveLength(1);
    const fences = text.split('\n').filter((line) => /^`{3,}/.test(line));
    expect(fences.length % 2).toBe(0);
    const diagram = failedDiagram(report.expectations[0]) as string;
    const { messages, notes } = await parseMermaid(diagram);
    expect(messages).toHaveLength(2);
    expect(notes).toHaveLength(1);
  });
});
