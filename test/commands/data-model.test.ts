// docs/schema/sequence.schema.json against what `diagram -o json` prints.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';
import { type Schema, violations } from '../kit/json-schema.js';

const schemaOf = (name: string): Schema => JSON.parse(readFileSync(join(ROOT, 'docs/schema', name), 'utf8')) as Schema;
const SEQUENCE = schemaOf('sequence.schema.json');
const MESSAGE = schemaOf('message.schema.json');

interface Diagram {
  readonly participants: readonly { readonly id: string; readonly name: string }[];
  readonly messages: readonly { readonly seq: number; readonly from: string; readonly to: string }[];
  readonly notes: readonly { readonly after: number | null; readonly over: readonly string[] }[];
  readonly folded: Readonly<Record<string, number>>;
  readonly drawn: number;
  readonly total: number;
}

const CASES: readonly (readonly [string, ...string[]])[] = [
  ['fixtures/run-nginx-http1/capture.pcap.gz', '--follow', 'pod/nginx'],
  ['fixtures/errors-http1/capture.pcap.gz'],
  ['fixtures/late-start-mixed/capture.pcap.gz', '--layers', 'all'],
  ['fixtures/run-nginx-http1/capture.pcap.gz', '--where', 'status == 599'],
];

describe.each(CASES.map((args) => [args.join(' '), args] as const))('%s', (_, args) => {
  const diagram = JSON.parse(kubeseq([...args, '-q', '-o', 'json']).stdout) as Diagram;

  it('matches the schemas', () => {
    expect(violations(SEQUENCE, diagram)).toEqual([]);
    expect(diagram.messages.flatMap((message) => violations(MESSAGE, message)).slice(0, 5)).toEqual([]);
  });

  it('refers to what is there', () => {
    const names = new Set(diagram.participants.map(({ name }) => name));
    const ids = new Set(diagram.participants.map(({ id }) => id));
    const seqs = new Set(diagram.messages.map(({ seq }) => seq));
    expect(diagram.messages.filter(({ from, to }) => !names.has(from) || !names.has(to))).toEqual([]);
    expect(diagram.notes.filter(({ over }) => over.some((id) => !ids.has(id)))).toEqual([]);
    expect(diagram.notes.filter(({ after }) => after !== null && !seqs.has(after))).toEqual([]);
  });

  it('counts every message', () => {
    const folded = Object.values(diagram.folded).reduce((sum, count) => sum + count, 0);
    expect(diagram.drawn + folded).toBe(diagram.total);
  });
});

it.each(['participants', 'messages', 'notes', 'folded', 'drawn', 'total', 'closing', 'coverage'])(
  'a diagram without %s is none',
  (field) => {
    const diagram = JSON.parse(kubeseq([...CASES[0], '-o', 'json']).stdout) as Record<string, unknown>;
    const { [field]: _, ...without } = diagram;
    expect(violations(SEQUENCE, without)).toEqual([`/: ${field} is missing`]);
  },
);
