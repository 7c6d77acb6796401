// `kubeseq messages -o csv`, read by csv-parse and held against the same messages as ndjson.

import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';

type Row = Readonly<Record<string, string>>;
type Line = Readonly<Record<string, unknown>>;

const CASES: readonly (readonly [string, string, ...string[]])[] = [
  ['fields of requests', 'fixtures/errors-http1/capture.pcap.gz'],
  [
    'channels and exit codes',
    'fixtures/exec-logs-portforward-tls/capture.pcap.gz',
    '--keylog',
    'fixtures/exec-logs-portforward-tls/keys.log.gz',
  ],
  ['calls', 'fixtures/late-start-mixed/capture.pcap.gz'],
];

/** As csv.ts writes a value: texts as they are, the rest as JSON. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[=+\-@]/.test(text) && typeof value === 'string' ? `'${text}` : text;
}

describe.each(CASES)('%s', (_, ...args) => {
  const csv = kubeseq(['messages', '-q', '-o', 'csv', ...args]).stdout;
  const rows = parse(csv, { columns: true, record_delimiter: '\r\n' }) as Row[];
  const lines = kubeseq(['messages', '-q', '-o', 'ndjson', ...args])
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

  it('are those of the messages', () => {
    expect(rows).toHaveLength(lines.length);
    const wrong = rows.flatMap((row, i) =>
      Object.keys(row)
        .filter((column) => row[column] !== cellOf(lines[i][column]))
        .map((column) => `${row['seq']} ${column}: ${row[column]} and ${cellOf(lines[i][column])}`),
    );
    expect(wrong).toEqual([]);
  });

  it('leave out no field but the reports about other objects', () => {
    const fields = new Set(lines.flatMap(Object.keys));
    expect([...fields].filter((field) => !(field in rows[0]) && field !== 'k8sEvent')).toEqual([]);
  });
});

it('has channel, bytes and exit code of a command that failed', () => {
  const { stdout } = kubeseq(['messages', '-q', '-o', 'csv', ...CASES[1].slice(1), '--where', 'exitCode == 3']);
  const rows = (parse(stdout, { columns: true, record_delimiter: '\r\n' }) as Row[]).filter(
    (row) => row['kind'] === 'data',
  );
  expect(rows.map(({ channel, exitCode, bytes }) => [channel, exitCode, Number(bytes) > 0])).toEqual([
    ['error', '3', true],
    ['error', '3', true],
  ]);
});
