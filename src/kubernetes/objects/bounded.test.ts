import { describe, expect, it } from 'vitest';
import { watchEvent } from '../api/watch-event.js';
import type { BodyObject } from './object-info.js';
import { carriedObject } from './object-meta.js';
import { statusProblemsOf } from './status-problems.js';

const LONG = 'a'.repeat(100_000);
const CUT = `${'a'.repeat(1024)}…`;
const metadata = { name: LONG, namespace: 'b', uid: LONG, ownerReferences: [{ kind: LONG, name: 'c', uid: LONG }] };
const read = (value: unknown, type = 'application/json'): BodyObject =>
  carriedObject(Buffer.from(JSON.stringify(value)), type) as BodyObject;

describe('the texts of an object', () => {
  it.each(['application/json', 'application/yaml'])('in %s is cut where nothing of Kubernetes is so long', (type) => {
    const { info } = read({ kind: 'Pod', apiVersion: 'v1', metadata }, type);
    expect(info).toMatchObject({ kind: 'Pod', namespace: 'b', name: CUT, uid: CUT });
    expect(info.owners).toEqual([{ kind: CUT, name: 'c', uid: CUT }]);
  });

  it('in a watch event is cut, too', () => {
    const event = { type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata } };
    expect(watchEvent(Buffer.from(JSON.stringify(event)), 'application/json')?.object?.name).toBe(CUT);
  });

  it('keeps names and messages as long as there are', () => {
    const name = 'a'.repeat(253);
    const message = 'no room '.repeat(2000);
    const { info, status } = read({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'x', message });
    expect([info.kind, status?.message]).toEqual(['Status', message]);
    expect(read({ kind: 'Pod', apiVersion: 'v1', metadata: { name } }).info.name).toBe(name);
  });

  it('cuts the problems of a status', () => {
    const status = { containerStatuses: [{ name: 'web', state: { waiting: { reason: LONG } } }] };
    const [problem] = statusProblemsOf(Buffer.from(JSON.stringify({ status })), 'application/json', 'pods');
    expect(problem).toEqual({ of: 'container web', state: 'waiting', reason: CUT });
  });

  it('cuts the texts of a Status and an Event', () => {
    const { status } = read({ kind: 'Status', apiVersion: 'v1', reason: LONG, message: LONG, details: { name: LONG } });
    expect(status).toMatchObject({ reason: CUT, message: `${'a'.repeat(65_536)}…`, detailsName: CUT });
    const event = { kind: 'Event', apiVersion: 'v1', reason: LONG, message: LONG, involvedObject: { name: LONG } };
    expect(read(event).k8sEvent).toMatchObject({ reason: CUT, message: `${'a'.repeat(65_536)}…`, name: CUT });
  });
});
