import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { MessageLine } from '../render/html/html-format.js';
import { curlCommand, kubectlCommand } from './commands.js';

const PATCH: MessageLine = {
  kind: 'request',
  protocol: 'kubernetes',
  method: 'PATCH',
  target: '/api/v1/namespaces/shop/pods/web/status?timeout=5s',
  verb: 'patch',
  resource: 'pods',
  namespace: 'shop',
  name: 'web',
  subresource: 'status',
  apiGroup: '',
  apiVersion: 'v1',
  connection: '192.0.2.10:56534-192.0.2.10:6443',
  complete: true,
  headers: [
    [':authority', '192.0.2.10:6443'],
    [':scheme', 'https'],
    ['authorization', 'REDACTED'],
    ['content-type', 'application/strategic-merge-patch+json'],
    ['content-length', '42'],
  ],
};
const LIST: MessageLine = {
  ...PATCH,
  method: 'GET',
  verb: 'list',
  target: '/apis/apps/v1/deployments?labelSelector=app%3Dweb',
  resource: 'deployments',
  apiGroup: 'apps',
  namespace: undefined,
  name: undefined,
  subresource: undefined,
};

/** What a shell takes the command for: its words, without the program. */
function wordsOf(command: string | null): string[] {
  const [program] = /^(?:curl|kubectl)/m.exec(command ?? '') ?? [];
  const script = `${program}() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}\n`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('curl', () => {
  it('has method, address, headers and body; what is redacted stays so, and it says it', () => {
    const command = curlCommand(PATCH, { status: { phase: 'Failed', message: "it's over" } });
    expect(command?.split('\n')[0]).toBe('# headers that are REDACTED need values of your own');
    expect(wordsOf(command)).toEqual([
      ...['-X', 'PATCH', `https://192.0.2.10:6443${PATCH['target']}`],
      ...['-H', 'authorization: REDACTED', '-H', 'content-type: application/strategic-merge-patch+json'],
      ...['--data-binary', JSON.stringify({ status: { phase: 'Failed', message: "it's over" } }, null, 2)],
    ]);
  });

  it.each([
    [undefined, {}, '# its body is not in the page: none was captured'],
    [{ $bytes: 12 }, {}, '# its body was captured as bytes that are not shown'],
    [undefined, { bodyLeftOut: 9 }, '# its body is over the limit of the page'],
    [{ data: { a: 'REDACTED' } }, {}, '# values that are REDACTED stay so: replace them first'],
    [{}, { complete: false }, '# the request is incomplete: bytes of it are missing in the capture'],
  ])('says of the body %j %j what is not as it was sent', (body, fields, remark) => {
    expect(curlCommand({ ...PATCH, ...fields }, body)?.split('\n')).toContain(remark);
  });

  it('sends as JSON what was protobuf', () => {
    const headers = [['content-type', 'application/vnd.kubernetes.protobuf']] as const;
    expect(wordsOf(curlCommand({ ...PATCH, headers }, {}))).toContain('content-type: application/json');
  });

  it.each([
    [{ kind: 'response' }],
    [{ target: undefined }],
    [{ rpcMethod: 'Range' }],
    [{ target: 'http://evil.example/' }],
  ])('is none for %j', (fields) => {
    expect(curlCommand({ ...PATCH, ...fields } as MessageLine, {})).toBeNull();
  });

  it.each(["'; touch /tmp/x; '", '$(touch /tmp/x)', '`touch /tmp/x`', '\n touch /tmp/x', '\u001b[31m\u202e', '\ud800'])(
    'is one command whatever %j is in it',
    (evil) => {
      const message = { ...PATCH, target: `/api?${evil}`, headers: [[`x-${evil}`, evil]] as const };
      const words = wordsOf(curlCommand(message, { a: evil }));
      expect(words).toHaveLength(7);
      expect(words[2].startsWith('https://192.0.2.10:6443/api?')).toBe(true);
      expect(words.join('')).not.toMatch(/[\u001b\u202e]/);
    },
  );
});

describe('kubectl', () => {
  it.each([
    [
      PATCH,
      { status: {} },
      ['patch', 'pods', 'web', '-n', 'shop', '--subresource=status', '--type=strategic', '-p', '{\n  "status": {}\n}'],
    ],
    [LIST, undefined, ['get', 'deployments.v1.apps', '-A', '-l', 'app=web']],
    [{ ...LIST, verb: 'watch' }, undefined, ['get', 'deployments.v1.apps', '-A', '-l', 'app=web', '--watch']],
    [
      { ...PATCH, verb: 'get', method: 'GET', subresource: undefined },
      undefined,
      ['get', 'pods', 'web', '-n', 'shop', '-o', 'yaml'],
    ],
    [
      { ...PATCH, verb: 'get', method: 'GET', subresource: 'log', target: '/api/v1/namespaces/shop/pods/web/log?a=b' },
      undefined,
      ['get', '--raw', '/api/v1/namespaces/shop/pods/web/log?a=b'],
    ],
    [
      { ...PATCH, verb: 'create', method: 'POST', target: '/api/v1/namespaces/shop/pods' },
      { kind: 'Pod' },
      ['create', '--raw', '/api/v1/namespaces/shop/pods', '-f', '-'],
    ],
    [{ ...PATCH, verb: 'delete', method: 'DELETE', target: '/api/v1/x' }, undefined, ['delete', '--raw', '/api/v1/x']],
  ] as [MessageLine, unknown, string[]][])('%#: reads, writes and deletes as it was', (message, body, words) => {
    expect(wordsOf(kubectlCommand(message, body))).toEqual(words);
  });

  it('takes the body from a document that nothing in it ends', () => {
    const body = { kind: 'Pod', note: 'a\nEOF\n$(touch /tmp/x)' };
    const message = { ...PATCH, verb: 'create', method: 'POST', target: '/api/v1/namespaces/shop/pods' };
    const command = kubectlCommand(message, body);
    const read = execFileSync('bash', ['-c', `kubectl() { cat; }\n${command}`], { encoding: 'utf8' });
    expect(JSON.parse(read)).toEqual(body);
  });

  it.each([
    [{ verb: 'create' }, undefined],
    [{ name: '--token=x' }, {}],
    [{ verb: 'connect' }, {}],
    [{ protocol: 'etcd' }, {}],
    [{ headers: [['content-type', 'application/apply-patch+yaml']] }, {}],
  ])('is none for %j', (fields, body) => {
    expect(kubectlCommand({ ...PATCH, ...fields } as MessageLine, body)).toBeNull();
  });
});
