// The own parser beside mermaid's: the same arrows between the same participants with the same text, and no to what
// mermaid says no to.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kubeseqDiagram } from '../../../test/kit/diagrams.js';
import { fixturePath } from '../../../test/kit/fixtures.js';
import { parseMermaid } from '../../../test/kit/mermaid.js';
import { wrap } from '../../render/escape/mermaid-escape.js';
import { renderMermaid } from '../../render/sequence/mermaid.js';
import { arrowTexts, UnreadableDiagram } from './diagram.js';
import { plainText, readMarkup, SOFT } from './markup.js';
import { expectationsOf } from './page.js';
import { parseDiagram } from './parse.js';

const SINK = `---
title: front matter
---
%%{init: {"theme": "dark"}}%%
sequenceDiagram
  autonumber 10 5
  title: Everything at once
  accTitle: for readers
  box Aqua Control plane
    participant AS as kube-apiserver
    participant E-1 as etcd #35;1
  end
  actor C as kubectl
  participant S as kube<br>scheduler
  create participant New as a new one
  C->>New: [REQ] GET /new
  C->>+AS: [REQ] POST /api/v1/pods#59;x - a b
  AS-->>-C: [RESP]: 201 Created
  AS-)E-1: [RPC] KV/Txn create
  E-1--)AS: [RPC-RESP] OK
  S-xAS: lost #quot;x#quot;
  S--xAS: lost too
  AS->S: open
  AS-->S: open dotted
  C<<->>AS: both ways
  C<<-->>AS: both ways dotted
  S->>S: to itself; AS->>C: second on its line # and a comment
  Note over C,AS: a note ->> with: an arrow
  Note left of C: left
  note right of S: right
  activate AS
  deactivate AS
  loop every second
    C ->> AS: [REQ] GET /livez
  end
  alt fine
    AS -->> C: [RESP] 200 OK
  else broken
    AS -->> C: [RESP] 500 Internal Server Error
  else gone
    AS -->> C: [RESP] 503
  end
  opt maybe
    C ->> AS: [REQ] GET /readyz
  end
  par one
    C ->> AS: [REQ] GET /a
  and two
    C ->> AS: [REQ] GET /b
  end
  C ->> C: gives up
  break it ends
    AS -->> C: [RESP] 429 Too Many Requests
  end
  rect rgb(0, 255, 0)
    C ->> AS: [REQ] GET /d
  end
  links C: {"dashboard": "https://example.org"}
  destroy New
  C -x New: gone
  %% a comment ->> with: an arrow
`;

/** mermaid keeps the blanks around a line break; how many blanks there are is layout. */
const squeezed = (text: string): string => text.replace(/\s+/g, '');

async function compared(source: string): Promise<void> {
  const theirs = await parseMermaid(source);
  const ours = parseDiagram(source);
  const arrows = arrowTexts(ours.body).map(({ from, to, label }) => ({ from, to, text: squeezed(plainText(label)) }));
  expect(arrows).toEqual(theirs.messages.map(({ from, to, text }) => ({ from, to, text: squeezed(named(text)) })));
  const names = [...ours.participants.values()].map(({ id, name }) => [id, squeezed(plainText(name))]);
  expect(new Map(names as [string, string][])).toEqual(
    new Map([...theirs.actors].map(([id, name]) => [id, squeezed(named(name))])),
  );
}

/** Named entities as mermaid keeps them until it draws. */
function named(text: string): string {
  return text.replaceAll('ﬂ°quot¶ß', '"');
}

describe('what mermaid reads', () => {
  it('is read the same: everything its grammar has', () => compared(SINK));

  it.each(['article-flow', 'expected-run-nginx'])('is read the same: %s', (name) =>
    compared(readFileSync(fixturePath(`check/${name}.mmd`), 'utf8')),
  );

  it.each(['run-nginx-http1/capture.pcap', 'errors-http1/capture.pcap'])(
    'is read the same: diagram of %s',
    async (name) => compared(renderMermaid(await kubeseqDiagram(name, { all: true }))),
  );

  it('has blocks with their branches', () => {
    const { body, title } = parseDiagram(SINK);
    const blocks = body.flatMap((node) => (node.kind === 'arrow' ? [] : [[node.kind, node.parts.length]]));
    expect(blocks).toEqual([
      ['loop', 1],
      ['alt', 3],
      ['opt', 1],
      ['par', 2],
      ['break', 1],
      ['rect', 1],
    ]);
    expect(title).toBe('Everything at once');
  });

  it('keeps the lines of the file', () => {
    const source = 'sequenceDiagram\n\n  A ->> B: [REQ] GET /\n  %% within: 2s\n  B -->> A: [RESP] 200 OK\n';
    const [first, second] = arrowTexts(parseDiagram(source, 40).body);
    expect([first.line, second.line, first.within, second.within]).toEqual([42, 44, null, 2_000_000_000n]);
    expect(source.slice(second.text.start, second.text.end)).toBe(' [RESP] 200 OK');
  });
});

describe('what mermaid does not read', () => {
  const cases: [string, string, number][] = [
    ['flowchart TD\n  A --> B\n', 'expected sequenceDiagram', 1],
    ['sequenceDiagram\n  A ->> B\n', 'expected an arrow as in', 2],
    ['sequenceDiagram\n  A ->> B: x\n  loop\n  A ->> B: x\n', 'loop is not closed', 3],
    ['sequenceDiagram\n  else x\n', 'else outside of alt', 2],
    ['sequenceDiagram\n  end\n', 'end without a block', 2],
    ['sequenceDiagram\n  Note A: x\n', 'expected over, left of or right of', 2],
    ['sequenceDiagram\n  hello\n', 'expected an arrow, a participant', 2],
  ];
  it.each(cases)('%j: %s', async (source, message, line) => {
    if (!source.startsWith('flowchart')) await expect(parseMermaid(source)).rejects.toThrow();
    try {
      parseDiagram(source);
      expect.unreachable('it was read');
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableDiagram);
      expect((error as UnreadableDiagram).message).toContain(message);
      expect((error as UnreadableDiagram).line).toBe(line);
    }
  });

  it('is a block that means nothing here, though mermaid draws it', async () => {
    const source = 'sequenceDiagram\ncritical just so\nA ->> B: x\nend\n';
    await parseMermaid(source);
    expect(() => parseDiagram(source)).toThrow('"critical just so": expected another block');
  });

  it('is reported of blocks that are nested too deep', () => {
    const deep = `sequenceDiagram\n${'opt x\n'.repeat(40)}A ->> B: x\n${'end\n'.repeat(40)}`;
    expect(() => parseDiagram(deep)).toThrow('deeper in each other than 32');
  });
});

describe('pages', () => {
  const page = [
    '# Flows',
    '```js',
    '# no heading',
    '```',
    '## Run a Pod',
    '',
    '```mermaid',
    'flowchart TD',
    '```',
    '````mermaid',
    'sequenceDiagram',
    '  A ->> B: [REQ] GET /a',
    '````',
    '~~~mermaid',
    'sequenceDiagram',
    '  A ->> B: [REQ] GET /b',
    '~~~',
    '### Closed heading ##',
    '``` mermaid',
    'sequenceDiagram',
    '  title own name',
    '  A ->> B: [REQ] GET /c',
    '```',
    '',
  ].join('\n');

  it('give each diagram the name of the heading above it', () => {
    const found = expectationsOf(page, true, 'page');
    expect(found.map(({ name, diagram }) => [name, diagram.line])).toEqual([
      ['Run a Pod', 11],
      ['Run a Pod (2)', 15],
      ['own name', 20],
    ]);
    expect(page.slice(found[1].start, found[1].end)).toBe('sequenceDiagram\n  A ->> B: [REQ] GET /b\n');
  });
});

describe('text', () => {
  it('has a soft place where a line breaks, and entities are literal', () => {
    const [arrow] = arrowTexts(parseDiagram('sequenceDiagram\nA->>B: a <br/> b#42;c#124;').body);
    expect(arrow.label).toContain(SOFT);
    expect(plainText(arrow.label)).toBe('a b*c|');
  });

  it.each([
    '[REQ] POST /apis/cache.example.com/v1/namespaces/memcached-kzp2f/memcacheds - sample',
    '[REQ] GET /apis/cache.example.com/v1/namespaces/memcached-kzp2f/memcacheds?labelSelector=a,b&watch=true',
    '[RESP-CHUNK] CertificateSigningRequest MODIFIED - csr-with-a-long-name-that-goes-on-and-on-and-on',
    '[RPC] RuntimeService/RunPodSandbox kube-system/etcd-node-1-with-a-name-of-some-length-to-break',
  ])('is quoted as it was before its lines were broken: %s', (label) => {
    const broken = wrap(label, 40);
    expect(broken.length).toBeGreaterThan(1);
    expect(plainText(readMarkup(broken.join('<br>')))).toBe(label);
  });
});
