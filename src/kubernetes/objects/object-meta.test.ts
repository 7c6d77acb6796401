import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { measured } from '../../../test/kit/measured.js';
import { LARGE, LINEAR, powerOf } from '../../../test/kit/powers.js';
import { encodingOf } from './encoding.js';
import { type ObjectInfo, objectField } from './object-info.js';
import { carriedObject, selfNamedObject } from './object-meta.js';
import { ValueCursor } from './value-cursor.js';

interface Encoded {
  name: string;
  protobuf: string;
  json: string;
  yaml: string;
  cbor: string;
}

const TYPES = {
  protobuf: 'application/vnd.kubernetes.protobuf',
  json: 'application/json',
  yaml: 'application/yaml',
  cbor: 'application/cbor',
} as const;

// Objects written by k8s.io/apimachinery's own serializers; what they say is written in lab/oracles/encodings.go.
const objects = new Map(fixtureLines<Encoded>('objects/encodings.jsonl').map((row) => [row.name, row]));

function objectInfo(bytes: Uint8Array, contentType: string): ObjectInfo | null {
  return carriedObject(bytes, contentType)?.info ?? null;
}

function encoded(name: string, encoding: keyof typeof TYPES): Uint8Array {
  return new Uint8Array(Buffer.from(objects.get(name)![encoding], 'base64'));
}

const POD: Partial<ObjectInfo> = {
  apiVersion: 'v1',
  kind: 'Pod',
  namespace: 'shop',
  name: 'web-1-x',
  generateName: 'web-1-',
  uid: 'u-1',
  resourceVersion: '712',
  generation: 3,
  owners: [{ kind: 'ReplicaSet', name: 'web-1', uid: 'u-0' }],
};

const EXPECTED: Record<string, Partial<ObjectInfo>> = {
  pod: POD,
  // 1700000000 s after 1970.
  going: { ...POD, deletionTimestamp: '2023-11-14T22:13:20Z', deletionGracePeriodSeconds: 30 },
  namespace: { apiVersion: 'v1', kind: 'Namespace', name: 'shop', uid: 'u-2', resourceVersion: '3' },
  create: { apiVersion: 'v1', kind: 'Pod', generateName: 'web-' },
  'pod-list': { apiVersion: 'v1', kind: 'PodList', items: 3, resourceVersion: '1000' },
  'empty-list': { apiVersion: 'v1', kind: 'PodList', items: 0, resourceVersion: '1001' },
  status: { apiVersion: 'v1', kind: 'Status' },
  event: {
    apiVersion: 'v1',
    kind: 'Event',
    namespace: 'default',
    name: 'nginx.1',
    uid: 'u-9',
    resourceVersion: '5',
  },
  'new-event': { apiVersion: 'events.k8s.io/v1', kind: 'Event', namespace: 'default', name: 'nginx.2' },
  binding: { apiVersion: 'v1', kind: 'Binding', namespace: 'default', name: 'nginx' },
  partial: { ...POD, apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' },
  'partial-list': {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadataList',
    items: 2,
    resourceVersion: '7',
  },
  table: { apiVersion: 'meta.k8s.io/v1', kind: 'Table', rows: 2, resourceVersion: '8' },
  options: { apiVersion: 'v1', kind: 'DeleteOptions' },
  groups: { apiVersion: 'v1', kind: 'APIGroupList', items: 2 },
  resources: { apiVersion: 'v1', kind: 'APIResourceList', items: 1 },
};

const REPORT = { type: 'Normal', kind: 'Pod', namespace: 'default', name: 'nginx', uid: 'u-8' };

describe.each(['protobuf', 'json', 'yaml', 'cbor'] as const)('carriedObject of %s', (encoding) => {
  const has = Object.entries(EXPECTED).filter(([name]) => objects.get(name)![encoding] !== '');

  it.each(has)('reads the identity of a %s', (name, info) => {
    expect(objectInfo(encoded(name, encoding), TYPES[encoding])).toEqual(info);
  });

  // Any text could be YAML.
  it.each(encoding === 'yaml' ? [] : has)('reads the same of a %s under a wrong type', (name, info) => {
    expect(objectInfo(encoded(name, encoding), 'text/plain')).toEqual(info);
  });

  // In protobuf the kind stands outside of the object.
  it.each(encoding === 'protobuf' ? [] : [encoding])('takes a kind that is not there from the request', (one) => {
    const text = {
      json: '{"metadata":{"name":"web","namespace":"shop"}}',
      yaml: 'metadata:\n  name: web\n  namespace: shop\n',
      // {"metadata": {"name": "web", "namespace": "shop"}} (RFC 8949, appendix A, has such maps)
      cbor: '\xd9\xd9\xf7\xa1\x48metadata\xa2\x44name\x43web\x49namespace\x44shop',
    }[one];
    const bytes = Buffer.from(text, 'latin1');
    const otherwise = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect(carriedObject(bytes, TYPES[encoding])).toBeNull();
    expect(carriedObject(bytes, TYPES[encoding], otherwise)?.info).toEqual({
      ...otherwise,
      name: 'web',
      namespace: 'shop',
    });
    // Of longer YAML only the members that identify the object are read.
    const long = encoding === 'yaml' ? Buffer.from(`data:\n${'  a: b\n'.repeat(10_000)}${text}`) : bytes;
    expect(carriedObject(long, TYPES[encoding], otherwise)?.info.name).toBe('web');
    expect(objectInfo(encoded('pod', encoding), TYPES[encoding])?.kind).toBe('Pod');
    expect(carriedObject(encoded('pod', encoding), TYPES[encoding], otherwise)?.info.kind).toBe('Pod');
  });

  it('reads a Status', () => {
    const carried = carriedObject(encoded('status', encoding), TYPES[encoding]);
    expect(carried?.status).toEqual({
      status: 'Failure',
      reason: 'Expired',
      message: 'too old resource version: 1 (2)',
      code: 410,
      detailsKind: 'pods',
      detailsName: 'nginx',
    });
    expect(carriedObject(encoded('pod', encoding), TYPES[encoding])?.status).toBeUndefined();
  });

  it.each([
    ['event', 'Scheduled', 'Successfully assigned', 'default-scheduler'],
    ['event-reporting', 'Scheduled', 'Successfully assigned', 'kubelet'],
    ['new-event', 'Pulled', 'image pulled', 'kubelet'],
  ])('reads an Event: %s', (name, reason, message, component) => {
    const carried = carriedObject(encoded(name, encoding), TYPES[encoding]);
    expect(carried?.k8sEvent).toEqual({ ...REPORT, reason, message, component });
    expect(carriedObject(encoded('pod', encoding), TYPES[encoding])?.k8sEvent).toBeUndefined();
  });

  it('reads a cut Pod as far as it goes, byte by byte', () => {
    const whole = encoded('pod', encoding);
    const seen = new Set<string | undefined>();
    for (let length = 0; length <= whole.length; length++) {
      const info = objectInfo(whole.subarray(0, length), TYPES[encoding]);
      if (info?.uid !== undefined && encoding !== 'yaml') expect('u-1'.startsWith(info.uid)).toBe(true);
      seen.add(info?.name);
    }
    expect(seen.has('web-1-x')).toBe(true);
  });

  it('takes any bytes', () => {
    const pod = encoded('pod', encoding);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(pod.length - 1), fc.nat(255)), { maxLength: 6 }), (changes) => {
        const bytes = pod.slice();
        for (const [at, byte] of changes) bytes[at] = byte;
        carriedObject(bytes, TYPES[encoding]);
        return true;
      }),
      { numRuns: encoding === 'yaml' ? 200 : 3000 },
    );
  });
});

describe('what is no object', () => {
  it.each([
    ['nothing', '', 'application/json'],
    ['a patch', '{"metadata":{"labels":{"a":"b"}}}', 'application/merge-patch+json'],
    ['a JSON patch', '[{"op":"add","path":"/kind","value":"x"}]', 'application/json-patch+json'],
    ['text', 'ok', 'text/plain'],
    ['the version', '{"major":"1","minor":"34"}', 'application/json'],
    ['a YAML text', '"kind: Pod"', 'application/yaml'],
    ['the magic alone', 'k8s', 'application/vnd.kubernetes.protobuf'],
  ])('%s', (_, body, type) => expect(objectInfo(Buffer.from(body), type)).toBeNull());
});

describe('a Table with one row', () => {
  const metadata = { name: 'web', namespace: 'shop', uid: 'u-1' };
  const row = { cells: ['web', 1], object: { kind: 'PartialObjectMetadata', metadata } };
  const table = (...rows: object[]) => ({ rows, kind: 'Table', metadata: { resourceVersion: '8' } });
  it.each([
    ['has its object', table(row), 1, metadata],
    ['does not where the row has no object', table({ cells: ['web', 1] }), 1, undefined],
    ['nor where there are several', table(row, row), 2, undefined],
    ['nor where there is none', table(), 0, undefined],
    ['nor where it is no Table', { ...table(row), kind: 'Rows' }, undefined, undefined],
  ])('%s', (_, object, rows, whose) => {
    for (const carried of [
      objectInfo(Buffer.from(JSON.stringify(object)), 'application/json'),
      selfNamedObject(new ValueCursor(object).object())?.info,
    ])
      expect({ rows: carried?.rows, row: carried?.row }).toEqual({ rows, row: whose });
  });
});

describe('JSON as clients write it', () => {
  const info = (text: string) => objectInfo(Buffer.from(text), 'application/json');
  it('may have any order, spaces, escapes and a byte order mark', () => {
    expect(
      info('\ufeff {"metadata" : { "name":"a\\u0062\\"c" , "uid":"é"} ,\n"kind":"P\\u006fd", "apiVersion":"v1"}'),
    ).toMatchObject({ kind: 'Pod', name: 'ab"c', uid: 'é' });
  });
  it('takes the last of members that come twice, as Go does', () => {
    expect(info('{"kind":"A","kind":"Pod","metadata":{"name":"x","name":"y"}}')).toMatchObject({
      kind: 'Pod',
      name: 'y',
    });
  });
  it('survives members of the wrong type', () => {
    const odd = '{"kind":"Pod","metadata":{"name":7,"uid":null,"ownerReferences":{},"annotations":[1]},"items":3}';
    expect(info(odd)).toEqual({ apiVersion: '', kind: 'Pod' });
    expect(info('{"kind":"Pod","metadata":[]}')).toEqual({ apiVersion: '', kind: 'Pod' });
    expect(info('{"kind":"Pod","metadata":{"ownerReferences":[1,{"uid":"u"}]}}')).toMatchObject({
      owners: [{ kind: '', name: '', uid: 'u' }],
    });
  });
  it('is walked without recursion', () => {
    const deep = `{"kind":"Pod","spec":${'['.repeat(200_000)}`;
    expect(info(deep)).toMatchObject({ kind: 'Pod' });
  });
  it('takes kinds of others that happen to be called List or Event', () => {
    expect(info('{"kind":"AllowList","apiVersion":"x.example/v1","metadata":{"name":"a"}}')).toEqual({
      apiVersion: 'x.example/v1',
      kind: 'AllowList',
      name: 'a',
    });
    const event = '{"kind":"Event","apiVersion":"audit.k8s.io/v1","reason":"x"}';
    expect(carriedObject(Buffer.from(event), '')?.k8sEvent).toBeUndefined();
  });
});

describe('encodingOf', () => {
  it('takes kubectl’s JSON under the YAML type for JSON', () => {
    expect(encodingOf(Buffer.from('{"kind":"Pod"}'), 'application/apply-patch+yaml')).toBe('json');
  });
});

describe('YAML as people write it', () => {
  const yaml = (text: string) => carriedObject(Buffer.from(text), 'application/yaml');
  it('may have comments, quotes, deeper lists and several documents', () => {
    const text = `# a comment
---
apiVersion: apps/v1 # the group
kind: "Deployment"
metadata:
    annotations:
        note: |
            kind: Nothing
            name: nobody
        other: 'it''s'
    'name': web
    labels: {name: wrong}
    "namespace": 'shop'
    ownerReferences:
      -   name: parent
          kind: X
      - uid: u
    uid: "u-\\u0031"
spec:
    template:
        metadata:
            name: inner
---
kind: Service
`;
    expect(yaml(text)?.info).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      uid: 'u-1',
      owners: [
        { kind: 'X', name: 'parent', uid: '' },
        { kind: '', name: '', uid: 'u' },
      ],
    });
  });
  it('counts the items of a list, whose own items and names are not its', () => {
    const list =
      'kind: PodList\nitems:\n- metadata:\n    name: a\n  spec:\n  - x\n  - y: 1\n    z: 2\n- metadata: {}\n';
    expect(yaml(list)?.info).toEqual({ apiVersion: '', kind: 'PodList', items: 2 });
    expect(
      yaml('kind: PodList\nitems:\n  - a\n  - b\n  - - c\n    - d\nmetadata:\n  resourceVersion: "7"\n')?.info,
    ).toEqual({
      apiVersion: '',
      kind: 'PodList',
      items: 3,
      resourceVersion: '7',
    });
  });
  measured('takes time that is linear in its length', () => {
    for (const unit of ['&a ', '"', '!!x ', '[', '- ', 'a:\n', '- a:\n', ': ', "'"]) {
      const read = (n: number) => yaml(`kind: Pod\n${unit.repeat(n / unit.length)}`);
      expect(powerOf(read, LARGE), unit).toBeLessThan(LINEAR);
    }
  });
});

describe('objectField', () => {
  it('is null for what an object does not have, and only kind, count and version of a list', () => {
    expect(objectField(objectInfo(encoded('namespace', 'json'), '')!)).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      namespace: null,
      name: 'shop',
      uid: 'u-2',
      resourceVersion: '3',
    });
    expect(objectField(objectInfo(encoded('pod-list', 'json'), '')!)).toEqual({
      kind: 'PodList',
      items: 3,
      resourceVersion: '1000',
    });
  });
});
