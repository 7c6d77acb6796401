import { describe, expect, it } from 'vitest';
import { HOLE_TYPES, holeTypeOf } from './grammar.js';
import { parse, TemplateMatcher } from './matcher.js';
import { TEMPLATE_ROWS } from './rows.js';

const HOLE = /\{([a-zA-Z_|]+)\}/g;

describe('the table', () => {
  it('has rows of every component, each with its source', () => {
    expect(TEMPLATE_ROWS.length).toBeGreaterThan(800);
    expect(TEMPLATE_ROWS.filter(({ source }) => !/[/]/.test(source) && source !== 'fluxcd')).toEqual([]);
  });

  it('holes have types that there are, and words between them', () => {
    const unknown = TEMPLATE_ROWS.flatMap(({ template }) =>
      [...template.matchAll(HOLE)]
        .filter(([, inner]) => holeTypeOf(inner) === null)
        .map(([hole]) => `${hole}: ${template}`),
    );
    expect(unknown).toEqual([]);
    for (const row of TEMPLATE_ROWS) expect(() => parse(row), row.template).not.toThrow();
  });

  it('a template has words of its own', () => {
    const bare = TEMPLATE_ROWS.filter(({ template }) => {
      const shows = [...template.matchAll(HOLE)].some(([, inner]) => holeTypeOf(inner)?.shows === 'content');
      return shows && (template.replace(HOLE, '').match(/[A-Za-z]/g) ?? []).length < 4;
    }).map(({ template }) => template);
    expect(bare).toEqual([]);
  });

  it.each([
    ['name', ['web-1', 'kube-system/web', 'a.b.c'], ['Web', 'a b', 'a/b/c', '-a', 'x'.repeat(64)]],
    [
      'image',
      ['nginx', 'r.example.com:5000/a/b:1.2', `a@sha256:${'0'.repeat(64)}`],
      ['u:p@r.example.com/a', 'a b', 'https://r/a', 'a?b=c'],
    ],
    ['pod', ['web_default(c9458e66-6a82-48bf-a0ac-311bf46a642e)', 'web_default'], ['web', 'web_default(x)']],
    ['count', ['3', '-1', '2.5', '90%'], ['3a', '', '0x3']],
    ['quantities', ['pods=1', 'pods=1,requests.cpu=200m'], ['pods=a', 'pods']],
    ['address', ['192.0.2.1:80', '[2001:db8::1]:443', 'web.shop.svc:8080'], ['web', 'a:b', '1.2.3.4:5:6']],
    ['duration', ['10s', '1m30.5s', '22ms'], ['10', 's']],
    ['path', ['spec.containers[0].image', '.spec.x', 'metadata.labels[app]'], ['a b', '/etc', 'a..b']],
    ['kind', ['Pod', 'pods', 'deployments.apps', 'apps/v1, Kind=Deployment'], ['password', 'token', 'key']],
    ['file', ['/var/lib/kubelet', '/a'], ['a', '/a b', '/a?b']],
    ['uid', ['c9458e66-6a82-48bf-a0ac-311bf46a642e'], ['c9458e66', 'a-b-c-d-e']],
    ['quantity', ['100Mi', '1500m', '2'], ['100Mib', 'a']],
  ])('{%s} fits %j, and not %j', (type, good, bad) => {
    const hole = HOLE_TYPES[type];
    const fits = hole.shows === 'content' ? hole.fits : () => false;
    expect(good.filter((one) => !fits(one))).toEqual([]);
    expect(bad.filter((one) => fits(one))).toEqual([]);
  });
});

describe('the matcher', () => {
  const matcher = new TemplateMatcher([
    { template: 'Created pod: {name}', source: 'a' },
    { template: 'Created pod: {name} on {node}', source: 'b' },
    { template: 'wrote "{text}": {text}', source: 'c' },
    { template: '{kind} "{name}" not found', source: 'd' },
  ]);
  const found = (text: string, at = 0): string | undefined =>
    matcher.matchAt(text, at, matcher.candidatesIn(text))?.row.source;

  it('takes the one with more words of its own', () => {
    expect(found('Created pod: web-1')).toBe('a');
    expect(found('Created pod: web-1 on node-1')).toBe('b');
  });

  it('ends at the end of a clause', () => {
    expect(found('Created pod: web-1, and more')).toBe('a');
    expect(found('Created pod: Web')).toBeUndefined();
    expect(found('pod "web" not foundling')).toBeUndefined();
  });

  it('reads a quoted text up to its own quote', () => {
    const text = 'wrote "a \\"b\\" c": d';
    const match = matcher.matchAt(text, 0, []);
    expect(match?.holes.map(({ start, end }) => text.slice(start, end))).toEqual(['a \\"b\\" c', 'd']);
  });

  it('finds a template that begins with a hole', () => {
    expect(found('error: pods "web" not found', 7)).toBe('d');
    expect(found('password "web" not found')).toBeUndefined();
  });
});
