// docs/schema/sequence.schema.json against what `diagram -o json` prints.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from './command.js';
import { type Schema, violations } from './json-schema.js';

const schemaOf = (name: string): Schema => JSON.parse(readFileSync(join(ROOT, 'docs/schema', name), 'utf8')) as Schema;
const SEQUENCE = schemaOf('sequence.schema.json');
const MESSAGE = schemaOf('message.schema.json');

interface Picture {
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
  const picture = JSON.parse(kubeseq([...args, '-q', '-o', 'json']).stdout) as Picture;

  it('is what the schemas say', () => {
    expect(violations(SEQUENCE, picture)).toEqual([]);
    expect(picture.messages.flatMap((message) => violations(MESSAGE, message)).slice(0, 5)).toEqual([]);
  });

  it('refers to what is there', () => {
    const names = new Set(picture.participants.map(({ name }) => name));
    const ids = new Set(picture.participants.map(({ id }) => id));
    const seqs = new Set(picture.messages.map(({ seq }) => seq));
    expect(picture.messages.filter(({ from, to }) => !names.has(from) || !names.has(to))).toEqual([]);
    expect(picture.notes.filter(({ over }) => over.some((id) => !ids.has(id)))).toEqual([]);
    expect(picture.notes.filter(({ after }) => after !== null && !seqs.has(after))).toEqual([]);
  });

  it('counts every message', () => {
    const folded = Object.values(picture.folded).reduce((sum, count) => sum + count, 0);
    expect(picture.drawn + folded).toBe(picture.total);
  });
});

it.each(['participants', 'messages', 'notes', 'folded', 'drawn', 'total', 'closing'])(
  'a picture without %s is none',
  (field) => {
    const picture = JSON.parse(kubeseq([...CASES[0], '-o', 'json']).stdout) as Record<string, unknown>;
    const { [field]: _, ...without } = picture;
    expect(violations(SEQUENCE, without)).toEqual([`/: ${field} is missing`]);
  },
);
