// `kubeseq record --keys` beside a controller by client-go that ran before: needs root, tracefs with uprobes, tcpdump, Go and client-go;
// says what is missing.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInformer, noInformer } from '../kit/go.js';
import { MISSING, probesOf, TOOLCHAINS } from '../kit/keys-kit.js';
import { parseMermaid } from '../kit/mermaid.js';
import { kubeseqSpawned, Spawned } from '../kit/spawned.js';

const NOT_HERE = MISSING || noInformer(TOOLCHAINS.at(-1));
/** s between two pings of an idle connection (golang.org/x/net/http2, ReadIdleTimeout). */
const PING_S = 5;

interface Line {
  readonly seq: number;
  readonly kind: string;
  readonly time: string;
  readonly from: string;
  readonly method?: string;
  readonly type?: string;
  readonly resource?: string;
  readonly object?: { readonly kind?: string; readonly name?: string };
  readonly cause?: { readonly seq: number };
}

describe.skipIf(NOT_HERE !== '')(`informers that run before${NOT_HERE === '' ? '' : ` (skipped: ${NOT_HERE})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  const programs = Object.fromEntries(
    ['kube-apiserver', 'kube-controller-manager', 'kubectl'].map((name) => [name, join(folder, name)]),
  );
  const started: Spawned[] = [];
  let address = '';

  function spawned(program: string, ...args: string[]): Spawned {
    const env = { HTTP2_READ_IDLE_TIMEOUT_SECONDS: String(PING_S) };
    const one = new Spawned(programs[program], args, { env });
    started.push(one);
    return one;
  }

  beforeAll(async () => {
    const built = builtInformer(TOOLCHAINS.at(-1)!);
    for (const path of Object.values(programs)) expect(spawnSync('cp', [built, path]).status).toBe(0);
    const server = spawned('kube-apiserver', 'serve');
    await server.until(({ stdout }) => stdout.includes('\n'));
    address = server.stdout.trim();
    await spawned('kube-controller-manager', 'control', address).until(({ stdout }) => stdout.includes('synced\n'));
  }, 900_000);
  afterAll(() => {
    for (const { child } of started) child.kill('SIGKILL');
  });

  async function recorded(name: string, ...command: string[]) {
    const into = join(folder, name);
    mkdirSync(into, { mode: 0o700 });
    const filter = `tcp port ${address.split(':').at(-1)}`;
    const begun = Date.now();
    const one = kubeseqSpawned(['record', '--keys', '-i', 'lo', '--filter', filter, '-w', into, '--', ...command]);
    started.push(one);
    expect([await one.end(), one.stderr]).toEqual([0, expect.stringContaining('listening to')]);
    const text = readFileSync(join(into, 'messages.ndjson'), 'utf8');
    const messages = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
    return { messages, diagram: readFileSync(join(into, 'diagram.mmd'), 'utf8'), took: Date.now() - begun, one };
  }

  it('the request that an event set off has it as its cause, and both are drawn', async () => {
    const { messages, diagram } = await recorded('created', programs['kubectl'], 'create', address, 'web');
    const created = messages.find(
      ({ kind, method, resource }) => kind === 'request' && method === 'POST' && resource === 'replicasets',
    );
    const event = messages.find(({ seq }) => seq === created?.cause?.seq);
    expect(event).toMatchObject({ kind: 'event', type: 'ADDED', object: { kind: 'Deployment', name: 'web' } });
    const { messages: arrows } = await parseMermaid(diagram);
    const places = [/\[REQ\] POST .*\/deployments/, /Deployment ADDED.*web/, /\[REQ\] POST .*\/replicasets/].map(
      (words) => arrows.findIndex(({ text }) => words.test(text)),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  }, 120_000);

  it('a short command on an idle component takes no longer than its connections are silent', async () => {
    const { took, messages, diagram, one } = await recorded('idle', 'sleep', '0.1');
    // Its connection pings; then nothing is drawn for a second and a half, and tcpdump hands on what it has.
    expect(took).toBeLessThan(15_000);
    expect(one.stderr).toMatch(/waiting until \d+ connections? that (?:is|are) open already can be read, 35 s at most/);
    expect(one.stderr).toMatch(/open connections read: 1 of 1/);
    expect(messages.filter(({ kind }) => kind === 'request')).toEqual([]);
    expect(diagram).toContain('no messages');
    expect(probesOf(programs['kube-apiserver'])).toEqual([]);
  }, 60_000);
});
