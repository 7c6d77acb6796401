// A client of `kubeseq mcp`: the SDK's own, over a real process, and what its answers hold.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, expect } from 'vitest';
import { kubeseq, ROOT } from './command.js';

export const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-mcp-test-'));
const open: Client[] = [];
afterAll(async () => {
  for (const client of open) await client.close();
});

export async function clientOf(...args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const command = { command: process.execPath, args: [`${ROOT}/bin/kubeseq.js`, 'mcp', ...args], cwd: ROOT };
  await client.connect(
    new StdioClientTransport({ ...command, env: { ...ENVIRONMENT, TMPDIR: FOLDER }, stderr: 'ignore' }),
  );
  open.push(client);
  return client;
}

const ENVIRONMENT = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

export interface Answered {
  /** The blocks of text; the first one is kubeseq's own. */
  readonly blocks: readonly string[];
  readonly all: string;
  /** What stands in the first fence. */
  readonly captured: string;
  readonly data?: { readonly rows: readonly Record<string, unknown>[]; readonly next?: number; readonly about: string };
  readonly isError: boolean;
}

export async function ask(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answered> {
  const result = await client.callTool({ name, arguments: args });
  const blocks = (result.content as { type: string; text: string }[]).map(({ text }) => text);
  const [, captured = ''] =
    /^`{3,}\w+\n([\s\S]*?)\n?`{3,}$/.exec(blocks.find((block) => block.startsWith('```')) ?? '') ?? [];
  return {
    blocks,
    all: blocks.join('\n'),
    captured,
    data: result.structuredContent as Answered['data'],
    isError: result.isError === true,
  };
}

/** All texts of a value, names of members too. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)]);
}

export interface Line {
  readonly seq: number;
  readonly kind: string;
  readonly from: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly frames: readonly [number, number];
  readonly status?: number;
  readonly causedBy?: number;
  readonly object?: { readonly kind: string; readonly name: string | null };
}

export function linesOf(...args: readonly string[]): readonly Line[] {
  const { stdout } = kubeseq(['messages', '-o', 'ndjson', '-q', ...args]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Messages and frames that an answer names, as evidence. */
export function evidenceIn({ all }: Answered): readonly (readonly [number, number, number])[] {
  return [...all.matchAll(/^message (\d+): frames? (\d+)(?: to (\d+))?/gm)].map(
    ([, seq, first, last = first]) => [Number(seq), Number(first), Number(last)] as const,
  );
}

export function expectTrue(answer: Answered, lines: readonly Line[]): void {
  const frames = new Map(lines.map((line) => [line.seq, line.frames]));
  const evidence = evidenceIn(answer);
  expect(evidence.length).toBeGreaterThan(0);
  for (const [seq, first, last] of evidence) expect([seq, frames.get(seq)]).toEqual([seq, [first, last]]);
}
