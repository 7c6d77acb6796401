// What mutating webhooks set, told of them and not of the API server: by `object`, `explain` and the messages themselves.

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Message, messageJson, observe } from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { inPieces } from '../kit/observed.js';
import { conversation, packets, pcap } from '../kit/packetiser.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const ENVTEST = fixturePath('envtest-tls/first/capture.pcapng.gz');
/** As tshark prints the body of frame 501: its patch is W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMvc2l6ZSIsInZhbHVlIjoxfV0=. */
const PATCH = [{ op: 'add', path: '/spec/size', value: 1 }];

describe('a webhook that gives a Memcached its size', () => {
  const object = (...options: string[]): string =>
    kubeseq(['object', 'memcacheds.cache.example.com/sample', ENVTEST, '-n', 'memcached-xkbpc', '-q', ...options])
      .stdout;

  it('is named for it, and the API server for the rest', () => {
    expect(object()).toContain(
      [
        '+ spec.port: 11211',
        'set by webhook 127.0.0.1:36903, message 94, frames 495 to 501:',
        '+ spec.size: 1',
        'patch {"op":"add","path":"/spec/size","value":1}',
        'filled in by the API server:',
        '+ metadata.creationTimestamp: 2026-11-23T09:05:32Z',
      ].join(`\n${' '.repeat(24)}`),
    );
    expect(object('-o', 'markdown')).toContain('set by webhook 127.0.0.1');
    const { incarnations } = JSON.parse(object('-o', 'json')) as {
      incarnations: { steps: Record<string, unknown>[] }[];
    };
    expect(incarnations[0].steps[0]['mutations']).toMatchObject([
      { from: 'webhook 127.0.0.1:36903', patch: PATCH, changes: [{ path: 'spec.size', after: 1 }] },
    ]);
  });

  it('is named where the write is explained', () => {
    const lines = kubeseq(['explain', '90', ENVTEST, '-q']).stdout;
    expect(lines).toContain(
      'patch of webhook 127.0.0.1:36903, message 95:\n  {"op":"add","path":"/spec/size","value":1}\n',
    );
  });

  it('answers with a patch that is read, in messages, in bodies and in what is exported', async () => {
    // The request is kept with its answer.
    const run = (text: string): string =>
      execFileSync('bash', ['-c', text.replaceAll('kubeseq', 'node bin/kubeseq.js')], { encoding: 'utf8' })
        .trimEnd()
        .split('\n')
        .at(-1) as string;
    const where = `--where 'exchange == 47 && kind == "response"' --bodies -o ndjson -q`;
    const straight = run(`kubeseq messages ${ENVTEST} ${where}`);
    expect(JSON.parse(straight)).toMatchObject({ patch: PATCH, body: { response: { patch: PATCH } } });
    const exported = run(`kubeseq export ${ENVTEST} -q | kubeseq messages - ${where}`);
    expect(JSON.parse(exported)).toMatchObject({ patch: PATCH, body: { response: { patch: PATCH } } });
  });
});

describe('the patch of a webhook', () => {
  async function answered(resource: string, patch: unknown, lost = false): Promise<Message> {
    const review = (more: object): string =>
      JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', ...more });
    const asks = review({
      request: { operation: 'CREATE', resource: { group: '', resource, version: 'v1' }, name: 'a' },
    });
    const encoded = typeof patch === 'string' ? patch : Buffer.from(JSON.stringify(patch)).toString('base64');
    const says = review({ response: { allowed: true, patchType: 'JSONPatch', patch: encoded } });
    const sized = (body: string): string => `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const sent = conversation([
      {
        from: 'client',
        bytes: `POST /hook HTTP/1.1\r\nHost: hook.ops.svc:443\r\nUser-Agent: kube-apiserver-admission\r\n${sized(asks)}`,
      },
      { from: 'client', bytes: asks },
      { from: 'server', bytes: `HTTP/1.1 200 OK\r\n${sized(says)}${says}` },
    ]);
    const seen = lost ? sent.filter(({ payload }) => Buffer.from(payload ?? '').toString() !== asks) : sent;
    const messages: Message[] = [];
    for await (const batch of observe([inPieces(pcap(packets(seen)))], { bodies: true }))
      for (const item of batch) if (item.kind === 'message') messages.push(item.message);
    return messages[1];
  }

  const shownOf = (message: Message): string =>
    JSON.stringify([messageJson(message, { digits: () => 6 }), message.details?.body()]);
  const secret = [{ op: 'add', path: '/data/password', value: 'aHVudGVyMg==' }];

  it('is shown as bodies of what is judged are', async () => {
    const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'nginx' }];
    const env = [{ op: 'add', path: '/spec/containers/0/env', value: [{ name: 'A', value: 'hunter2' }] }];
    expect((await answered('pods', image)).patch).toEqual(image);
    const shown = shownOf(await answered('pods', env));
    expect(shown).toContain('"name":"A"');
    expect(shown).not.toContain('hunter2');
  });

  it.each([
    ['a Secret', 'secrets', false],
    ['what is not known', 'pods', true],
  ])('of %s shows no value', async (_, resource, lost) => {
    const shown = shownOf(await answered(resource, secret, lost));
    expect(shown).toContain('"path":"/data/password"');
    expect(shown).not.toContain('aHVudGVyMg');
  });

  it.each([['no base64'], [Buffer.from('{"op":"add"}').toString('base64')], [Buffer.from('[1]').toString('base64')]])(
    'that is none stays hidden: %s',
    async (patch) => {
      const message = await answered('pods', patch);
      expect(message.label).toBe('[RESP] 200 OK, allowed, with changes');
      expect(message.patch).toBeUndefined();
      expect(shownOf(message)).toContain('"patch":"REDACTED');
    },
  );

  it('of a write that is denied after all is shown with its response', async () => {
    const { messages } = await observeWhole('operator-tls');
    const patches = messages.flatMap(({ patch, from }) => (patch === undefined ? [] : [[from.name, patch]]));
    expect(patches).toEqual([['webhook m.shop.example.com', [{ op: 'add', path: '/status', value: { ready: 0 } }]]]);
  });
});
