// `--anonymize` and names of shapes that no list has: addresses and accounts inside names, numbers, header fields. What is looked for are
// pieces, words of six letters and numbers of four digits, not whole names.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnonymousText } from '../../src/anonymize/anonymous-text.js';
import { NameMap } from '../../src/anonymize/name-map.js';
import { Anonymizer, type Message, type PipelineItem } from '../../src/index.js';
import type { Details } from '../../src/kubernetes/messages/details-types.js';
import { exists, fixture } from '../kit/fixtures.js';
import { type Filling, randomised } from '../kit/random/changer.js';
import { type ClusterName, clusterName, SHAPE_NAMES, type ShapeName } from '../kit/random/cluster-names.js';
import { CAPTURES, printed } from '../kit/random/printed.js';
import { runs, TRIES_ALL } from '../kit/runs.js';

const KEY = new Uint8Array(32).map((_, i) => i * 7 + 3);

describe('in place of a name, and in a sentence', () => {
  it.each(SHAPE_NAMES)('%s have no piece left', (shape) => {
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (number, isLearned) => {
        const { name, pieces } = clusterName(shape, number);
        const texts = new AnonymousText(new NameMap(KEY));
        if (isLearned) texts.learn(name, 'name');
        for (const [place, text] of [
          ['names', name],
          ['names', `/api/v1/namespaces/${name}/pods`],
          ['names', `?labelSelector=app%3D${encodeURIComponent(name)}`],
          ['prose', `pods "${name}" is forbidden: User "${name}" cannot get resource "pods"`],
          ['prose', `0/3 nodes are available: ${name} and ${name}.`],
          ['prose', `[REQ] GET /api/v1/nodes/${name}/status`],
        ] as const)
          expect([text, piecesLeft(texts.text(text, place), pieces)]).toEqual([text, []]);
      }),
      { numRuns: runs(100, 20_000), seed: fc.readConfigureGlobal()?.seed ?? 1 },
    );
  });
});

/** Words of the dictionary, which a sentence keeps elsewhere. */
describe('names of servers and certificates that are words', () => {
  it.each([
    "the server sent nothing after the client's hello; asked for {}",
    "the client sends unknown_ca; the server's certificate: {} {}, issued by {}, not for {}, but for a.example, {}",
    "the client's certificate ({}, issued by {}) is not of the issuer of accepted ones, {}",
    'shows the certificate of {} (frame 12)',
    '{}: NXDOMAIN, 3 times',
    '{}: no answer',
  ])('have no piece left: %s', (sentence) => {
    const texts = new AnonymousText(new NameMap(KEY));
    expect(texts.text('the monitoring of storage is not ready', 'prose')).toMatch(/monitoring of storage/);
    let number = 0;
    const text = sentence.replaceAll('{}', () => (number++ % 2 === 0 ? 'monitoring' : 'storage'));
    expect(texts.text(text, 'prose')).not.toMatch(/monitoring|storage/);
  });

  it.each([
    "the client sends bad_certificate; the server's certificate: without a common name, issued by itself",
    "the server's certificate: localhost, issued by an unnamed issuer, expired 2049-12-31T23:59:59Z",
    "the server acknowledged the client's hello, and sent nothing for 15 s; asked for kubernetes",
    'x509: certificate signed by unknown authority, not valid before today',
    'connection to localhost:65535',
  ])('are the only words that go: %s', (sentence) => {
    expect(new AnonymousText(new NameMap(KEY)).text(sentence, 'prose')).toBe(sentence);
  });

  it('are not beside a number that is no port', () => {
    const texts = new AnonymousText(new NameMap(KEY));
    for (const port of [65536, 80211, 99999]) expect(texts.text(`host:${port}`, 'prose')).not.toContain(String(port));
  });
});

/** The end of a replacement: `name-09918`. */
const SUFFIX = /-([0-9a-f]{5})(?![0-9a-z])/g;
/** What is replaced in one run. */
const FILLINGS: readonly Filling[] = [
  { name: 'values', places: new Set(['header', 'query', 'body']), guiding: false },
  { name: 'values that decide, too', places: new Set(['header', 'query', 'body']), guiding: true },
  { name: 'keys', places: new Set(['key']), guiding: false },
  { name: 'paths', places: new Set(['segment', 'selector']), guiding: false },
];
/** Of each capture so many frames are read. */
const FRAMES = TRIES_ALL ? 2500 : 400;
/** The captures of a usual run: all kinds of traffic. */
const USUAL = /^(?:deployment-tls|boot-etcd-tls|errors-http1|run-nginx-http1|not-starting-tls|docker)/;

describe('in every field of a capture', () => {
  const captures = CAPTURES.filter(({ name }) => TRIES_ALL || USUAL.test(name));
  it.each(captures.map((one, i) => [one.name, one, i] as const))('%s', async (_name, { name, keys }, i) => {
    const keyLogs = exists(keys) ? [Buffer.from(fixture(keys)).toString()] : [];
    const capture = fixture(name);
    const own = new Set<string>();
    const none: Filling = { name: 'nothing', places: new Set(), guiding: false };
    const filled = async (filling: Filling, shape: ShapeName, seed: number) => {
      const names = new Map<string, ClusterName>();
      const make = (number: number): string => {
        const made = clusterName(shape, number ^ seed);
        names.set(made.name, made);
        return made.name;
      };
      const look = { name: shape, make, pattern: /^.*$/s };
      const options = { filling, look, frames: FRAMES, showSecrets: true };
      const { items, first } = await randomised(capture, keyLogs, options);
      const header = clusterName('custom headers', seed);
      const given = items.map((item) => withHeader(item, header.name));
      const anonymizer = new Anonymizer(KEY);
      for (const item of given) if (item.kind === 'message') anonymizer.learn(item.message);
      const outputs = [
        ...printed(
          given.map((item) => anonymizer.item(item)),
          first,
        ),
      ];
      // Of thousands of numbers, some stand by chance in a replacement.
      const made = [...anonymizer.entries].flatMap(([, name]) =>
        [...name.matchAll(SUFFIX)].map(([, suffix]) => suffix),
      );
      return { outputs, names: [...names.values(), header], made: new Set(made) };
    };
    for (const [, text] of (await filled(none, 'GCP', 1)).outputs) for (const word of wordsIn(text)) own.add(word);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FILLINGS),
        fc.constantFrom(...SHAPE_NAMES),
        fc.nat(),
        async (filling, shape, seed) => {
          const { outputs, names, made } = await filled(filling, shape, seed);
          const pieces = names.flatMap((one) => one.pieces).filter((piece) => !own.has(piece) && !made.has(piece));
          for (const [output, text] of outputs) expect([output, piecesLeft(text, pieces)]).toEqual([output, []]);
        },
      ),
      {
        numRuns: runs(4, 40),
        examples: [[FILLINGS[i % FILLINGS.length], SHAPE_NAMES[i % SHAPE_NAMES.length], i]],
        seed: (fc.readConfigureGlobal()?.seed ?? 1) + i,
        endOnFailure: true,
      },
    );
  });
});

/** The same, with a field of a program's own in its head. */
function withHeader(item: PipelineItem, name: string): PipelineItem {
  if (item.kind !== 'message' || item.message.details === undefined) return item;
  const { details } = item.message;
  const more: Details = {
    fields: () => [...details.fields(), [name, 'REDACTED'] as never],
    body: () => details.body(),
    bodyBytes: () => details.bodyBytes(),
  };
  return { kind: 'message', message: { ...item.message, details: more } as Message };
}

function wordsIn(text: string): Set<string> {
  return new Set(text.split(/[^A-Za-z0-9]+/));
}

/** Pieces that stand in a text as words, or between letters and digits; with what is around them. */
function piecesLeft(given: string, pieces: readonly string[]): string[] {
  // Numbers of messages and frames, sizes, times.
  const text = given.replace(/":\[?\d+(?:,\d+\])?|\b\d{10}\.\d{6,9}\b/g, '":');
  const words = wordsIn(text.toLowerCase());
  return pieces
    .filter((one) => (/\W/.test(one) ? text.includes(one) : words.has(one.toLowerCase())))
    .map((one) => `${one}: ${new RegExp(`.{0,50}${one.replace(/\W/g, '\\$&')}.{0,30}`, 'i').exec(text)?.[0]}`);
}
