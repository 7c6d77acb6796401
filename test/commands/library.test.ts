// The library as programs use it: what they may give as a capture, what they get, and what they are told of mistakes.

import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type CaptureInput, check, story, UnmetExpectation } from '../../src/library/index.js';
import { kubeseq, ROOT } from '../kit/command.js';

const PATH = join(ROOT, 'fixtures/run-nginx-http1/capture.pcap.gz');
const BYTES = readFileSync(PATH);
const TLS = join(ROOT, 'fixtures/run-nginx-tls/capture.pcap.gz');
const SECRETS = gunzipSync(readFileSync(join(ROOT, 'fixtures/run-nginx-tls/keys.log.gz'))).toString();
const FOLLOW = { follow: 'pod/nginx' } as const;

describe('story', () => {
  const drawn = kubeseq([PATH, '--follow', 'pod/nginx', '-q']).stdout;

  it.each<[string, CaptureInput]>([
    ['a path', PATH],
    ['a URL', pathToFileURL(PATH)],
    ['bytes', BYTES],
    ['an ArrayBuffer', new Uint8Array(gunzipSync(BYTES)).buffer],
    ['a Blob', new Blob([BYTES])],
    ['a stream', createReadStream(PATH)],
  ])('of %s is the diagram that the command draws', async (_, input) => {
    expect(await story(input, FOLLOW).toMermaid()).toBe(drawn);
  });

  it('reads secrets, and other outputs are those of the command, too', async () => {
    const one = story(TLS, { ...FOLLOW, secrets: SECRETS });
    const args = [TLS, '--keylog', TLS.replace('capture.pcap', 'keys.log'), '--follow', 'pod/nginx', '-q'];
    expect(await one.toMermaid()).toBe(kubeseq(args).stdout);
    expect(await one.toMarkdown()).toBe(kubeseq([...args, '-o', 'markdown']).stdout);
    expect(await one.toPlantuml()).toBe(kubeseq([...args, '-o', 'plantuml']).stdout);
    expect(await one.toText()).toBe(kubeseq([...args, '-o', 'text']).stdout);
    expect((await one.messages()).length).toBeGreaterThan(1000);
    expect((await one.notices()).map(({ code }) => code)).toContain('tcp.late-start');
  });

  it('selects as the command does', async () => {
    const where = 'verb == "create"';
    const options = { ...FOLLOW, where, labels: 'short', answers: 'folded' } as const;
    const args = ['--where', where, '--labels', 'short', '--answers', 'folded'];
    expect(await story(PATH, options).toMermaid()).toBe(kubeseq([PATH, '--follow', 'pod/nginx', '-q', ...args]).stdout);
  });

  it.each([
    [() => story(PATH, { follow: 'nginx' }), 'follow: expected KIND/NAME, for example pod/nginx, not nginx'],
    [() => story(PATH, { layers: ['docks'] as never }), /^layers: there is no docks; there are .*etcd/],
    [() => story(PATH, { where: 'verbs == 1' }), /^where: /],
  ])('says what is wrong with an option, at once', (make, words) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(words);
  });

  it('says what it expects as a capture, and which file is not there', async () => {
    const ofNumber = story(7 as never).toMermaid();
    await expect(ofNumber).rejects.toThrow(/expected a capture: a path, .* not a number$/);
    await expect(story({} as never).toMermaid()).rejects.toThrow(/not Object$/);
    await expect(story('none.pcap').toMermaid()).rejects.toThrow(/ENOENT.*none\.pcap/);
  });
});

describe('check', () => {
  const EXPECTED = `sequenceDiagram
    participant C as kubectl
    participant A as kube-apiserver
    C->>A: [REQ] POST /api/v1/namespaces/default/pods - nginx
    A-->>C: [RESP] 201 Created
`;

  it('passes, with a verdict for each diagram', async () => {
    const { verdicts, report } = await check(BYTES, EXPECTED);
    expect(verdicts.map(({ met }) => met)).toEqual([true]);
    expect(report).toMatch(/^pass/);
    const page = `# Pods\n\n\`\`\`mermaid\n${EXPECTED}\`\`\`\n`;
    expect((await check(BYTES, page, FOLLOW)).report).toContain('Pods');
  });

  it('fails a test with the report of the command', async () => {
    const other = EXPECTED.replace('201 Created', '409 Conflict');
    const failure = await check(BYTES, other).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnmetExpectation);
    const { message, isUndecided, result } = failure as UnmetExpectation;
    expect([isUndecided, result.verdicts[0].met]).toEqual([false, false]);
    expect(message).toMatch(/FAIL[\s\S]*409 Conflict/);
  });

  it('is undecided where nothing could be read', async () => {
    const failure = await check(TLS, EXPECTED).catch((error: unknown) => error);
    expect((failure as UnmetExpectation).isUndecided).toBe(true);
  });

  it('says where a text is no diagram', async () => {
    await expect(check(BYTES, 'sequenceDiagram\n  what is this')).rejects.toMatchObject({ line: 2 });
  });
});
