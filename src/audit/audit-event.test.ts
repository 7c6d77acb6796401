import { describe, expect, it } from 'vitest';
import { auditEventOf } from './audit-event.js';

/** As kube-apiserver writes it (staging/src/k8s.io/apiserver/pkg/apis/audit/v1/types.go). */
const EVENT = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: '7d4e2b0c-0f37-4b8e-9f0e-1d6c3f4f3a11',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/default/pods',
  verb: 'create',
  user: { username: 'jane' },
  responseStatus: { code: 201 },
  requestReceivedTimestamp: '2026-01-02T03:04:05.000006Z',
  stageTimestamp: '2026-01-02T03:04:05.000016Z',
};

describe('a record of an audit log', () => {
  it('is an event with its times', () => {
    expect(auditEventOf(EVENT)).not.toBeNull();
  });

  it.each(['auditID', 'verb', 'requestURI', 'stage', 'requestReceivedTimestamp', 'stageTimestamp'])(
    'is none without %s, or with a number in its place',
    (name) => {
      const { [name]: _, ...rest } = EVENT as Record<string, unknown>;
      expect(auditEventOf(rest)).toBeNull();
      expect(auditEventOf({ ...rest, [name]: 7 })).toBeNull();
    },
  );
});
