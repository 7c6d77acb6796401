import { describe, expect, it } from 'vitest';
import { type Given, message } from '../../../test/kit/messages.js';
import { PLAIN } from '../sequence/text.js';
import { tableHead, tableRow } from './table.js';

const HEAD = tableHead(PLAIN);

/** What stands below two words of the head. */
function cells(given: Given): [string, string] {
  const row = tableRow(message({ label: 'LABEL', ...given }), 0n, PLAIN);
  const [at, end, label] = ['STATUS', 'LATENCY', 'LABEL'].map((word) => HEAD.indexOf(word));
  expect(row.slice(label)).toBe('LABEL\n');
  expect(end + 'LATENCY'.length + 2).toBe(label);
  return [row.slice(at, at + 'STATUS'.length).trim(), row.slice(at + 'STATUS'.length, label).trim()];
}

describe('a row has status and latency', () => {
  it.each<[string, Given, [string, string]]>([
    ['a request has none', { kind: 'request' }, ['', '']],
    ['a watch event has none', { kind: 'event', type: 'ADDED' }, ['', '']],
    ['of a response', { kind: 'response', status: 404, latencyMs: 0.26 }, ['404', '0.26 ms']],
    ['of a remote call', { kind: 'response', status: 200, grpcStatus: 5, latencyMs: 213.6 }, ['5', '214 ms']],
    ['of a long poll', { kind: 'response', status: 200, latencyMs: 599_994 }, ['200', '10 min 0 s']],
    ['without a latency', { kind: 'response', status: 200 }, ['200', '']],
  ])('%s', (_, given, expected) => {
    expect(cells(given)).toEqual(expected);
  });
});
