// Which names are generated, by kind; held against the names that an API server's own audit log has for a Deployment.

import { describe, expect, it } from 'vitest';
import { observedTogether } from '../../test/kit/diagrams.js';
import { fixtureLines } from '../../test/kit/fixtures.js';
import { message } from '../../test/kit/messages.js';
import { generatedNames, rewrittenNames } from './generated-names.js';
import { indexMessages } from './message-index.js';

const partOf = (kind: string, name: string, owner: readonly [string, string]): string | undefined =>
  generatedNames(
    indexMessages([
      message({ object: { kind, name, uid: name, owners: [{ kind: owner[0], name: owner[1], uid: 'o' }] } }),
    ]),
  ).get(name)?.part;

it.each([
  ['ReplicaSet', 'web-64c966cf88', 'Deployment', 'hash'],
  ['ReplicaSet', 'web-9bf4', 'Deployment', 'hash'],
  ['ControllerRevision', 'web-5d4f8c7b9', 'DaemonSet', 'hash'],
  ['Pod', 'web-6c5vr', 'ReplicaSet', 'suffix'],
  ['Pod', 'web-0', 'StatefulSet', undefined],
  ['Pod', 'web-http', 'Job', undefined],
  ['Job', 'web-28812345', 'CronJob', 'time'],
  ['Job', 'web-2024', 'CronJob', undefined],
  ['EndpointSlice', 'web-7nd5g', 'Service', 'slice'],
  ['ConfigMap', 'web-settings', 'Deployment', undefined],
  ['ConfigMap', 'web-http', 'Deployment', undefined],
  ['Order', 'web-3434343434', 'Certificate', 'suffix'],
])('%s %s of a %s: %s', (kind, name, owner, part) => expect(partOf(kind, name, [owner, 'web'])).toBe(part));

describe('deployment-tls', async () => {
  const { messages } = await observedTogether(
    ['deployment-tls/control-plane.pcap', 'deployment-tls/node-1.pcap'],
    'deployment-tls/keys.log',
  );
  const made = generatedNames(indexMessages(messages));

  it('are those of the ReplicaSets, Pods and EndpointSlices that were made', () => {
    const audit = fixtureLines<{ objectRef?: { resource: string; name?: string } }>('deployment-tls/audit.jsonl');
    const named = audit.flatMap(({ objectRef }) =>
      objectRef?.name !== undefined && ['replicasets', 'pods', 'endpointslices'].includes(objectRef.resource)
        ? [objectRef.name]
        : [],
    );
    const web = [...made.keys()].filter((name) => name.startsWith('web-')).sort();
    expect(web).toEqual([...new Set(named)].sort());
    expect(web.length).toBeGreaterThan(7);
  });

  it('an owner’s part stands before that of what it owns', () => {
    const written = rewrittenNames(made, ({ part }) => `<${part}>`);
    expect(written.get('web-64c966cf88')).toBe('web-<hash>');
    expect(written.get('web-64c966cf88-6c5vr')).toBe('web-<hash>-<suffix>');
  });
});
