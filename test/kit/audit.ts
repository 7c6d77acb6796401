// An API server's audit log beside what was told of the same requests: whatever differs, in words. Knows the log's fields
// (audit.k8s.io/v1, as fixtures have them); whom a user is in a diagram, tests say.

import type { Message } from '../../src/index.js';
import { fixtureLines } from './fixtures.js';

export interface Audit {
  readonly auditID: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: Readonly<Record<'resource' | 'subresource' | 'namespace' | 'name' | 'apiGroup', string>>;
  readonly responseStatus: { readonly code: number };
}

/** By its id; of a watch the entry of its end. */
export function auditLog(name: string): ReadonlyMap<string, Audit> {
  return new Map(fixtureLines<Audit>(name).map((entry) => [entry.auditID, entry]));
}

/** What the users of a cluster with RBAC are called in diagrams. */
export function programOf({ user: { username } }: Audit): string {
  if (username.startsWith('system:node:')) return `kubelet (${username.slice(12)})`;
  if (username === 'kubernetes-admin') return 'kubectl';
  if (username === 'system:apiserver') return 'kube-apiserver';
  return username.split(':').at(-1)!;
}

/** Answers whose ids the log has. */
export function loggedAnswers(messages: readonly Message[], log: ReadonlyMap<string, Audit>): readonly Message[] {
  return messages.filter(({ kind, auditId }) => kind === 'response' && log.has(auditId ?? ''));
}

/**
 * Who asked, about what, and with which success: told otherwise than the log has it.
 * @param nameless answers to requests of which the log has no name: the API server could not decode them.
 */
export function toldOtherwise(
  messages: readonly Message[],
  log: ReadonlyMap<string, Audit>,
  nameOf: (entry: Audit) => string,
  nameless: ReadonlySet<number> = new Set(),
): string[] {
  const asked = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
  const different = loggedAnswers(messages, log).filter(({ auditId, exchange, to, status }) => {
    const entry = log.get(auditId!)!;
    const { verb, resource, subresource, namespace, name, apiGroup } = asked.get(exchange)!;
    const ref = entry.objectRef;
    return ![
      [to.name, nameOf(entry)],
      [verb, entry.verb],
      [status, entry.responseStatus.code],
      [resource, ref?.resource],
      [subresource, ref?.subresource],
      [namespace, ref?.namespace],
      [nameless.has(status!) ? undefined : name, ref?.name],
      [apiGroup ?? '', ref?.apiGroup ?? ''],
    ].every(([is, logged]) => is === logged);
  });
  return different.map(({ auditId, label, to }) => `${auditId} ${to.name} ${label}`);
}
