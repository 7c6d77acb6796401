// Recordings of faults on a real cluster: "went wrong" names what their truth says, and invents nothing where nothing broke.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { faultFile, recordedFaults } from '../kit/foreign.js';

/** What was done, as it was written down when the recording was made. */
interface Truth {
  readonly fault?: false;
  readonly began: string | null;
  readonly ended: string | null;
  /** A right answer has nearly all of them; alternatives are apart by |. */
  readonly words: readonly string[];
  readonly mustnot?: readonly string[];
}

interface Summary {
  readonly captures: readonly { readonly first: string }[];
  readonly problems: readonly Problem[];
}

interface Problem {
  readonly kind: string;
  readonly what: string;
  /** Seconds since the first frame. */
  readonly at: number;
  readonly until?: number;
}

/** s: what is told of a fault begins at most so long before or after it. */
const CLOSE = 2;

/** Faults, recorded since, that the summary does not find yet, or not by the words of their truth. */
const NOT_YET: ReadonlySet<string> = new Set([
  ...[
    'f18-expired-token',
    'f20-conversion-webhook-fails',
    'f22-watch-too-old-relist',
    'f24-slow-mutating-webhook',
    'f28-two-controllers-fight',
    'f33-operator-wakes-itself',
  ],
]);

const recordings = recordedFaults();

function read(name: string): { readonly truth: Truth; readonly summary: Summary } {
  const files = [faultFile(name, 'capture.pcap.gz'), '--keylog', faultFile(name, 'keys.log')];
  return {
    truth: JSON.parse(readFileSync(faultFile(name, 'truth.json'), 'utf8')) as Truth,
    summary: JSON.parse(kubeseq(['summary', '-q', '-o', 'json', ...files]).stdout) as Summary,
  };
}

it.skipIf(recordings.length === 0)('each fault is named: who, what, when, how long', { timeout: 120_000 }, () => {
  const lacking: Record<string, readonly string[]> = {};
  const late: string[] = [];
  let faults = 0;
  for (const name of recordings) {
    const { truth, summary } = read(name);
    if (truth.fault === false || truth.began === null || NOT_YET.has(name)) continue;
    faults += 1;
    const start = Date.parse(summary.captures[0].first) / 1000;
    const began = Date.parse(truth.began) / 1000 - start - CLOSE;
    const ended = truth.ended === null ? Number.POSITIVE_INFINITY : Date.parse(truth.ended) / 1000 - start + CLOSE;
    const told = summary.problems.filter(
      ({ kind, at, until = at }) => kind !== 'start-up' && until >= began && at <= ended,
    );
    if (told.length === 0) late.push(name);
    const text = told.map(({ what }) => what).join('\n');
    const missing = truth.words.filter((word) => !new RegExp(word, 'i').test(text));
    if (missing.length > 0) lacking[name] = missing;
  }
  expect(faults).toBeGreaterThan(9);
  expect(late).toEqual([]);
  expect(lacking).toEqual({});
});

it.skipIf(recordings.length === 0)('a recording without a fault has nothing that its audit log has not', () => {
  let clean = 0;
  for (const name of recordings) {
    const { truth, summary } = read(name);
    if (truth.fault !== false) continue;
    clean += 1;
    const audit = gunzipSync(readFileSync(faultFile(name, 'audit.jsonl.gz'))).toString();
    const codes = new Set([...audit.matchAll(/"code":(\d{3})/g)].map(([, code]) => code));
    const told = summary.problems.filter(({ kind }) => kind !== 'start-up').map(({ what }) => what);
    const statusOf = (what: string): string => /: (\d{3}) /.exec(what)?.[1] ?? '';
    expect(told.filter((what) => !codes.has(statusOf(what)))).toEqual([]);
    const words = new RegExp((truth.mustnot ?? []).join('|'), 'i');
    expect(told.filter((what) => words.test(what))).toEqual([]);
  }
  expect(clean).toBeGreaterThan(0);
});
