import { describe, expect, it } from 'vitest';
import { capturedFixtures } from '../../../test/kit/fixture-observations.js';
import { observeWhole } from '../../../test/kit/whole-fixtures.js';
import { CORE_RESOURCES } from '../../core/api-resources.js';
import { buildSequence } from '../build.js';
import { arrowsOf, isFailure, labelOf } from '../model.js';
import { foldAnswers } from './folded-answers.js';
import { shortLabels, singular } from './short-labels.js';

it('singulars of the core resources', () => {
  // kubectl api-resources, column KIND, in lower case.
  const kinds = ['componentstatus', 'configmap', 'endpoints', 'event', 'limitrange', 'namespace', 'node'];
  const more = ['persistentvolume', 'persistentvolumeclaim', 'pod', 'podtemplate', 'replicationcontroller'];
  const rest = ['resourcequota', 'secret', 'serviceaccount', 'service'];
  expect(
    [...CORE_RESOURCES]
      .map(singular)
      .filter((one) => one !== 'binding')
      .sort(),
  ).toEqual([...kinds, ...more, ...rest].sort());
  expect(['networkpolicies', 'ingresses', 'storageclasses', 'csistoragecapacities'].map(singular)).toEqual([
    'networkpolicy',
    'ingress',
    'storageclass',
    'csistoragecapacity',
  ]);
});

describe.each(capturedFixtures())('the diagram of %s', (name) => {
  it('has the same arrows, and says in few words what each is about', async () => {
    const { messages, notices } = await observeWhole(name);
    const full = buildSequence({ messages, notices });
    const short = shortLabels(full);
    const [before, after] = [arrowsOf(full.steps), arrowsOf(short.steps)];
    expect(after.map(({ message }) => message.seq)).toEqual(before.map(({ message }) => message.seq));
    expect(after.map(isFailure)).toEqual(before.map(isFailure));
    for (const arrow of after) {
      const { message } = arrow;
      const label = labelOf(arrow);
      // An OPTIONS has no verb, and keeps its path.
      expect(label).not.toMatch(message.method === 'OPTIONS' ? /^\[/ : /^\[|^$|\/api\/v1\//);
      expect(label.length).toBeLessThanOrEqual(Math.max(message.label.length, 60));
      if (message.kind !== 'request' || message.resource === undefined || (message.verb ?? '') === '') continue;
      expect(label.startsWith(`${message.verb} `)).toBe(true);
      const { name, resource, k8sEvent } = message;
      if (resource === 'events') expect(label).not.toMatch(/\.[0-9a-f]{14,}/);
      if (k8sEvent !== undefined && k8sEvent.name !== '')
        expect([label.includes(` ${k8sEvent.reason} of `), label.endsWith(k8sEvent.name)]).toEqual([true, true]);
      else if (name !== undefined && resource !== 'events') expect(label.endsWith(name)).toBe(true);
    }
    // Folded answers stand after the short words.
    const folded = arrowsOf(foldAnswers(short).steps);
    expect(folded.every((arrow) => !labelOf(arrow).startsWith('['))).toBe(true);
    expect(folded).toHaveLength(arrowsOf(foldAnswers(full).steps).length);
  });
});
