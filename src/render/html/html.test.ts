import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../../test/kit/fixtures.js';
import { MANAGER, message } from '../../../test/kit/messages.js';
import { packedLines, unpackedPage, viewIn } from '../../../test/kit/page-data.js';
import { explorerData } from '../../diagram/explorer-data.js';
import { type Message, observe, type Participant } from '../../index.js';
import { escapeHtml, escapeJsonBlock } from '../escape/html-escape.js';
import { type HtmlOptions, renderHtml } from './html.js';
import { BODIES_BLOCK, MESSAGES_BLOCK } from './html-format.js';

const OPTIONS: HtmlOptions = {
  digits: () => 6,
  first: 0n,
  title: 'a capture',
  version: '0',
  script: { text: 'start()', sha256: 'c2NyaXB0' },
  style: { text: 'b{}', sha256: 'c3R5bGU=' },
};

interface Node {
  readonly nodeName: string;
  readonly value?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Node[];
}

const all = (node: Node): Node[] => [node, ...(node.childNodes ?? []).flatMap(all)];
const attribute = (node: Node, name: string): string | undefined => node.attrs?.find((one) => one.name === name)?.value;
const textOf = (node: Node): string =>
  all(node)
    .map(({ value }) => value ?? '')
    .join('');
const elements = (html: string): Node[] => all(parse(html) as Node).filter(({ attrs }) => attrs !== undefined);

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<!-- <script>',
  '--> ]]> <img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '\u2028\u2029\u202e\u200b\ud800',
  '&lt;b&gt; &amp;',
  'javascript:alert(1)',
  '\u0000\u001b[31m',
];

function participant(name: string): Participant {
  const one = {
    id: 1,
    component: 'client',
    name,
    tier: 'people',
    shortId: null,
    perNode: false,
    evidence: [name],
  } as const;
  const made: Participant = {
    ...one,
    get process() {
      return made;
    },
  };
  return made;
}

async function withBodies(name: string): Promise<Message[]> {
  const messages: Message[] = [];
  async function* bytes() {
    yield fixture(name);
  }
  for await (const batch of observe([bytes()], { bodies: true }))
    for (const item of batch) if (item.kind === 'message') messages.push(item.message);
  return messages;
}

describe('hostile text', () => {
  it.each(HOSTILE)('%j becomes text and nothing else', (text) => {
    const sent: Message = message({
      label: `[REQ] GET /${text}`,
      target: text,
      resource: 'pods',
      name: text,
      from: participant(text),
      details: { fields: () => [[text, text]], body: () => ({ [text]: text }) },
    });
    const plain: Message = message({
      from: participant('x'),
      details: { fields: () => [['a', 'b']], body: () => ({ c: 'd' }) },
    });
    const pageOf = (one: Message): string =>
      renderHtml(explorerData({ messages: [one], notices: [] }), { ...OPTIONS, title: one.name ?? 'x' });
    const shapeOf = (page: string): string[] =>
      elements(page).map((node) => `${node.nodeName} ${node.attrs?.map(({ name }) => name).join(' ')}`);
    expect(shapeOf(pageOf(sent))).toEqual(shapeOf(pageOf(plain)));
    // Nor would it if the packed data stood in the page as they are.
    expect(shapeOf(unpackedPage(pageOf(sent)))).toEqual(shapeOf(pageOf(plain)));

    const html = renderHtml(explorerData({ messages: [sent], notices: [] }), OPTIONS);
    const nodes = elements(html);
    const line = JSON.parse(packedLines(html, MESSAGES_BLOCK).join()) as Record<string, unknown>;
    if (!text.includes('\ud800')) expect(line['name']).toBe(text);
    expect(JSON.parse(packedLines(html, BODIES_BLOCK).join())).toEqual({ [text]: text });
    const row = nodes.find((node) => attribute(node, 'data-seq') !== undefined) as Node;
    expect(textOf(row)).not.toMatch(/[\u0000-\u0008\u001b\u2028\u202e\u200b]/);
    if (!/[\u0000-\u001f\u2028\ud800]/.test(text)) expect(textOf(row)).toContain(text);
  });

  it('is escaped for elements, attributes and data blocks', () => {
    expect(escapeHtml(`<a href="x" title='y'>&`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;');
    expect(escapeHtml('a\u202eb')).toBe('a\\u202eb');
    const json = JSON.stringify({ a: '</script><!--&\u2028', b: '😀' });
    expect(escapeJsonBlock(json)).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(escapeJsonBlock(json))).toEqual(JSON.parse(json));
    expect(JSON.parse(escapeJsonBlock('"\ud83d\ude00\ud800"'))).toBe('😀\ud800');
  });
});

describe('a page of a real capture', async () => {
  const observation = { messages: await withBodies('errors-http1/capture.pcap'), notices: [] };
  const shown = explorerData(observation);
  const html = renderHtml(shown, { ...OPTIONS, first: observation.messages[0].started });
  const nodes = elements(html);

  it('has rows that are readable without the script', () => {
    const { message: sent } = shown.entries.find(({ folded }) => folded === null) as (typeof shown.entries)[number];
    const row = nodes.find((node) => attribute(node, 'data-seq') === String(sent.seq)) as Node;
    expect(textOf(row)).toContain(`${sent.from.name} to ${sent.to.name}: ${sent.label}`);
  });

  it('lets nothing run and nothing load but its own script and style', () => {
    const policy = nodes.find((node) => attribute(node, 'http-equiv') === 'Content-Security-Policy') as Node;
    const rules = (attribute(policy, 'content') as string).split('; ');
    expect(rules).toContain("default-src 'none'");
    expect(rules).toContain("script-src 'sha256-c2NyaXB0'");
    expect(rules).toContain("style-src 'sha256-c3R5bGU='");
    expect(rules.join()).not.toContain('unsafe');
    const attributes = nodes.flatMap((node) => node.attrs ?? []);
    expect(attributes.filter(({ name }) => /^on|^style$|^src$|^href$|^action$/.test(name))).toEqual([]);
    const scripts = nodes.filter(({ nodeName }) => nodeName === 'script');
    expect(scripts.map((node) => attribute(node, 'type') ?? textOf(node))).toEqual([
      'application/json',
      'start()',
      ...new Array<string>(4).fill('application/octet-stream'),
    ]);
  });
});

describe('limits', () => {
  it('leaves out a body that is too long, and reports it', () => {
    const big = 'x'.repeat(1024 * 1024);
    const sent = message({ details: { fields: () => [], body: () => big } });
    const html = renderHtml(explorerData({ messages: [sent], notices: [] }), OPTIONS);
    expect(JSON.parse(packedLines(html, MESSAGES_BLOCK).join())).toMatchObject({ bodyLeftOut: big.length + 2 });
  });

  it('leaves out messages beyond the limit, and reports it; drawn ones stay', () => {
    const many = Array.from({ length: 50_010 }, (_, i) =>
      message({
        seq: i + 1,
        exchange: i,
        resource: 'pods',
        name: `web-${i}`,
        ...(i === 50_009 ? { verb: 'create' } : { verb: 'list', from: MANAGER }),
      }),
    );
    const shown = explorerData({ messages: many, notices: [] });
    expect(shown.entries).toHaveLength(50_000);
    expect(shown.leftOut).toBe(10);
    expect(shown.entries.map(({ message: one }) => one.seq)).toContain(50_010);
    expect(renderHtml(shown, OPTIONS)).toContain('10 messages over its limit');
  });

  it('has 5,000 rows as elements, and reports how many more its script shows', () => {
    const pageOf = (count: number): string => {
      const messages = Array.from({ length: count }, (_, i) => message({ seq: i + 1, exchange: i, name: `web-${i}` }));
      return renderHtml(explorerData({ messages, notices: [] }, { all: true }), OPTIONS);
    };
    const html = pageOf(5_010);
    expect(html.match(/ data-seq="/g)).toHaveLength(5_000);
    expect(viewIn(html).rows).toHaveLength(5_010);
    expect(html).toContain('10 more arrows of the diagram are not in the list either');
    expect(pageOf(20)).not.toContain('in the list either');
  });
});
