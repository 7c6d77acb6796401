import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { requestInfo } from './request-info.js';

interface Answer {
  method: string;
  target: string;
  error?: string;
  verb: string;
  path?: string;
  apiGroup?: string;
  apiVersion?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

describe('requestInfo, as the API server itself answers', () => {
  // What k8s.io/apiserver v0.34.4 RequestInfoFactory.NewRequestInfo says to each of these.
  const answers = fixtureLines<Answer>('objects/request-info.jsonl');
  it('has enough cases', () => expect(answers.length).toBeGreaterThan(140));
  it.each(answers.map((answer) => [`${answer.method} ${answer.target}`, answer] as const))('%s', (_, answer) => {
    const info = requestInfo(answer.method, answer.target);
    if (answer.error !== undefined) return expect(info).toBeNull();
    expect(info?.verb).toBe(answer.verb);
    expect(info?.nonResource).toBe(answer.path ?? null);
    for (const field of ['apiGroup', 'apiVersion', 'resource', 'subresource', 'namespace', 'name'] as const)
      expect([field, info?.[field] ?? '']).toEqual([field, answer[field] ?? '']);
    expect(info?.watch).toBe(answer.verb === 'watch');
  });
});

interface AuditEvent {
  auditID: string;
  stage: string;
  requestURI: string;
  verb: string;
  objectRef?: Record<string, string>;
}

const CASES = ['run-nginx-http1', 'errors-http1', 'clients-tls', 'run-nginx-tls', 'late-start-tls'];

describe('requestInfo, as the audit log words it', () => {
  it.each(CASES)('%s: every entry', (name) => {
    const methods = new Map(
      fixtureLines<{ kind: string; auditId: string; method: string }>(`${name}/capture.truth.jsonl`)
        .filter((line) => line.kind === 'request')
        .map((line) => [line.auditId, line.method]),
    );
    let compared = 0;
    for (const event of fixtureLines<AuditEvent>(`${name}/audit.jsonl`)) {
      // Later stages take what the path does not say from the body: a create's name, a webhook's object.
      if (event.stage !== 'RequestReceived') continue;
      const method = methods.get(event.auditID) ?? methodFor(event.verb);
      const info = requestInfo(method, event.requestURI);
      const { resource, namespace, name, apiGroup, apiVersion, subresource } = event.objectRef ?? {};
      expect(info).toMatchObject({ verb: event.verb, resource, namespace, name, apiVersion, subresource });
      expect(info?.apiGroup || undefined).toBe(apiGroup);
      expect(info?.nonResource === null).toBe(event.objectRef !== undefined);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(10);
  });
});

function methodFor(verb: string): string {
  const methods: Record<string, string> = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' };
  return methods[verb] ?? (verb === 'deletecollection' ? 'DELETE' : 'GET');
}

describe('requestInfo', () => {
  it('parses the query at its first use', () => {
    const info = requestInfo('GET', '/api/v1/pods?labelSelector=app%3Dweb%2Ctier%3D1&limit=500&x=a+b&limit=2');
    expect(info?.query.get('labelSelector')).toBe('app=web,tier=1');
    expect(info?.query.get('limit')).toBe('500');
    expect(info?.query.get('x')).toBe('a b');
    expect(info?.query.get('absent')).toBeUndefined();
    expect(info?.query.entries().map(([name]) => name)).toEqual(['labelSelector', 'limit', 'x', 'limit']);
  });

  it.each([
    ['/api/v1/namespaces/default/pods/a%zz', 'a%zz'],
    ['/api/v1/namespaces/default/pods/%ff', '\uFFFD'],
    ['/api/v1/namespaces/default/pods/%', '%'],
    ['/api/v1/namespaces/default/pods/%41%zz', 'A%zz'],
  ])('reads what the server would refuse: %s', (target, name) => {
    expect(requestInfo('GET', target)?.name).toBe(name);
  });

  it('takes any method and target without an exception', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('/', '%', 'api', 'apis', 'v1', 'namespaces', 'watch', '?', '&', '=', '%2', ':'),
    );
    const target = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.constantFrom('GET', 'DELETE', 'CONNECT', 'X'), target, (method, path) => {
        const info = requestInfo(method, path);
        info?.query.entries();
        return info === null || typeof info.verb === 'string';
      }),
      { numRuns: 2000 },
    );
  });
});
