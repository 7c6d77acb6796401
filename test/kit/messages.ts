// Messages for tests: what a case is about is given, the rest is plain.

import type { Sequence } from '../../src/diagram/model.js';
import { MessageLinker } from '../../src/kubernetes/emitted/message-links.js';
import type { Details, Message, Participant, Shown } from '../../src/kubernetes/messages/message.js';
import { ParticipantRegistry } from '../../src/kubernetes/placed/identity/participant-registry.js';

export const known = new ParticipantRegistry();
export const KUBECTL: Participant = known.client('192.0.2.10', 'kubectl/v1.34.4', 1);
export const APISERVER: Participant = known.server('kube-apiserver', '192.0.2.10', 8080, 1);
export const SCHEDULER: Participant = known.client('192.0.2.10', 'kube-scheduler/v1.34.4', 1);
export const MANAGER: Participant = known.client(
  '192.0.2.10',
  'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/x/shared-informers',
  1,
);
export const REPLICASETS: Participant = known.client(
  '192.0.2.10',
  'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/x/system:serviceaccount:kube-system:replicaset-controller',
  1,
);

/** A message as a test writes it: its texts are the test's own. */
export type Given = { readonly [Key in keyof Message]?: Plain<Message[Key]> };
type Plain<T> = T extends Shown
  ? string
  : T extends Participant | Details
    ? T | { fields(): unknown; body(): unknown }
    : T extends readonly (infer Element)[]
      ? readonly Plain<Element>[]
      : T extends object
        ? { readonly [Key in keyof T]: Plain<T[Key]> }
        : T;

/** Links responses and events to the requests that were made with the same number of an exchange, as the pipeline does. */
const requests = new MessageLinker();
let seq = 0;

/** A request and its answer. */
export function exchanged(given: Given, answer: Given = { status: 200 }): [Message, Message] {
  const request = message({ to: APISERVER, ...given });
  const { from, to, exchange } = request;
  return [request, message({ kind: 'response', from: to, to: from, exchange, ...answer })];
}

export function message(given: Given): Message {
  seq += 1;
  const toServer = given.kind === 'request' || given.kind === undefined;
  const made = {
    seq,
    time: BigInt(seq) * 1_000_000n,
    started: BigInt(seq) * 1_000_000n,
    kind: 'request',
    protocol: 'kubernetes',
    from: toServer ? KUBECTL : APISERVER,
    to: toServer ? APISERVER : KUBECTL,
    label: '[REQ] GET /',
    exchange: seq,
    connection: '192.0.2.10:50000-192.0.2.10:8080',
    stream: null,
    capture: 0,
    frames: [1, 1],
    complete: true,
    ...given,
  } as Message;
  return requests.link(made);
}

/** The same message, but for what a case is about. */
export function changed(message: Message, given: Given): Message {
  return { ...message, ...given } as Message;
}

/** Of a diagram of everything, of which nothing is missing. */
export const COMPLETE_COVERAGE: Sequence['coverage'] = {
  delivered: [],
  folded: {},
  foldedFailures: {},
  others: [],
  failed: [],
  missing: [],
  complete: 'complete',
};
