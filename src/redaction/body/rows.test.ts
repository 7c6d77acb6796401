import { describe, expect, it } from 'vitest';
import { type FieldRow, fieldRows, fits, hasGrammar, rowsByField } from './rows.js';

type Grammar = Parameters<typeof fits>[0];

describe('the grammar of a shown string', () => {
  it.each<[Grammar, string]>([
    ['name', 'system:node:node-1'],
    ['name', 'apps/v1'],
    ['name', '*'],
    ['name', 'aws:///us-east-1a/i-0123456789'],
    ['word', 'ErrImagePull'],
    ['word', 's0:c123,c456'],
    ['camel-word', 'OutOfSync'],
    ['phrase', 'Debian GNU/Linux 12 (bookworm)'],
    ['user', 'system:serviceaccount:kube-system:node-controller'],
    ['user', 'jane doe@example.com'],
    ['uid', '1e7d6b0c-8b1e-4b77-8d5c-6f3f5f7a1c2d'],
    ['time', '2026-11-22T04:47:09Z'],
    ['time', '2026-11-22T04:47:09.123456+01:00'],
    ['duration', '1h30m'],
    ['quantity', '128974848'],
    ['quantity', '1.5Gi'],
    ['quantity', '12e6'],
    ['numbers', '0-3,7'],
    ['port', '25%'],
    ['port', 'https'],
    ['address', '10.0.0.0/16'],
    ['address', '2001:db8::1'],
    ['address', 'None'],
    ['host', '*.example.com'],
    ['endpoint', 'https://kubernetes.default.svc.cluster.local'],
    ['endpoint', 'unix:///run/containerd/containerd.sock'],
    ['image', 'docker.io/library/nginx:1.27@sha256:0123456789abcdef'],
    ['image', 'containerd://0123456789abcdef'],
    ['path', '/var/lib/kubelet/pods/a/volumes/kubernetes.io~projected/b'],
    ['path', 'C:\\data\\$(NAME)'],
    ['field-path', 'spec.containers[0].image'],
    ['field-path', 'spec.containers{app}'],
    ['field-path', "metadata.annotations['example.com/a']"],
    ['field-path', '.status.conditions[?(@.type=="Ready")].status'],
    ['pointer', '/metadata/annotations/example.com~1a/-'],
    ['schedule', '*/5 * * * MON-FRI'],
    ['media-type', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
    ['media-type', 'text/plain; charset=utf-8'],
  ])('%s takes %j', (grammar, text) => expect(fits(grammar, text)).toBe(true));

  it.each<[Grammar, string]>([
    ['name', 'two words'],
    ['name', 'a=b'],
    ['word', 'could not reach the registry'],
    ['word', 'two\nlines'],
    ['camel-word', 'hunter2'],
    ['camel-word', 'two words'],
    ['phrase', 'key="value"'],
    ['phrase', 'two  blanks'],
    ['uid', 'not a uid'],
    ['time', 'yesterday'],
    ['time', '2026-11-22'],
    ['quantity', 'ten'],
    ['address', 'example.com'],
    ['endpoint', 'https://user:password@example.com'],
    ['endpoint', 'https://example.com/?key=value'],
    ['image', 'nginx latest'],
    ['path', '/etc/passwd; cat'],
    ['path', '/a?b=c'],
    ['field-path', '[?(@.password=="hunter2")]'],
    ['pointer', 'metadata'],
    ['pointer', '/a b'],
    ['media-type', 'hunter2'],
    ['media-type', 'application/json; token=hunter2'],
  ])('%s does not take %j', (grammar, text) => expect(fits(grammar, text)).toBe(false));

  it('takes no line break and nothing endless, whatever it is', () => {
    const samples: FieldRow['showing'][] = [
      'name',
      'word',
      'phrase',
      'user',
      'uid',
      'path',
      'image',
      'host',
      'endpoint',
    ];
    for (const showing of samples) {
      if (!hasGrammar(showing)) throw new Error(showing);
      expect(fits(showing, 'a')).toBe(true);
      expect(fits(showing, 'a\nb')).toBe(false);
      expect(fits(showing, 'a\n')).toBe(false);
      expect(fits(showing, 'a'.repeat(5000))).toBe(false);
    }
  });
});

describe('rows', () => {
  it('are one for each field of a group', () => {
    const rows = fieldRows(['name: a name', '  a', '  b.c ']);
    expect(rows).toEqual([
      { field: 'a', showing: 'name', reason: 'a name' },
      { field: 'b.c', showing: 'name', reason: 'a name' },
    ]);
    expect(() => rowsByField([...rows, rows[0]])).toThrow('the field a has two rows');
  });
});
