// mermaid's own parser, as the judge of what kubeseq writes.

import { JSDOM } from 'jsdom';

export interface ParsedMessage {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

export interface Parsed {
  /** Arrows only, their labels with entities and `<br>` undone. */
  readonly messages: readonly ParsedMessage[];
  readonly notes: readonly string[];
  /** Participant id → name. */
  readonly actors: ReadonlyMap<string, string>;
}

interface Db {
  getMessages(): { from?: string; to?: string; message: unknown; type: number }[];
  getActors(): Map<string, { description: string }>;
  LINETYPE: Record<string, number>;
}

interface Mermaid {
  mermaidAPI: { getDiagramFromText(text: string): Promise<{ type: string; db: Db }> };
  initialize(config: object): void;
}

let loaded: Promise<Mermaid> | null = null;

/** @throws what mermaid's parser throws: the text is no sequence diagram. */
export async function parseMermaid(text: string): Promise<Parsed> {
  loaded ??= load();
  const mermaid = await loaded;
  const { type, db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  if (type !== 'sequence') throw new Error(`parsed as ${type}`);
  const { NOTE } = db.LINETYPE;
  const all = db.getMessages();
  return {
    messages: all
      .filter(
        (one) => one.from !== undefined && one.to !== undefined && one.type !== NOTE && typeof one.message === 'string',
      )
      .map((one) => ({ from: one.from as string, to: one.to as string, text: plain(one.message as string) })),
    notes: all.filter((one) => one.type === NOTE).map((one) => plain(one.message as string)),
    actors: new Map([...db.getActors()].map(([id, actor]) => [id, plain(actor.description)])),
  };
}

async function load(): Promise<Mermaid> {
  const { window } = new JSDOM('<!doctype html><body></body>');
  const scope = globalThis as Record<string, unknown>;
  for (const name of ['document', 'Option', 'Element', 'Node'])
    scope[name] = (window as unknown as Record<string, unknown>)[name];
  scope['window'] = window;
  const { default: mermaid } = (await import('mermaid')) as unknown as { default: Mermaid };
  mermaid.initialize({ startOnLoad: false });
  return mermaid;
}

/** What a reader sees: mermaid keeps entities in a code of its own (`ﬂ°°`, `¶ß`) until it draws. */
function plain(text: string): string {
  return text
    .replace(/<br\s*\/?>/g, '')
    .replace(/ﬂ°°(\d+)¶ß/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
