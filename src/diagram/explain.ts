// Explains one message: why it has its sender, receiver, object and cause, in sentences that a reader can check
// against frames.

import { dictionary } from '../core/collections/dictionary.js';
import { latencyCell } from '../core/duration.js';
import { lostText } from '../core/lost-time.js';
import { framesText } from '../core/origin.js';
import { objectReference } from '../kubernetes/api/object-ref.js';
import { untriggeredBy } from '../kubernetes/attributed/untriggered-requests.js';
import { requestOf } from '../kubernetes/emitted/message-links.js';
import { deletionWords } from '../kubernetes/lives/deletion-words.js';
import type { Message, OwnerInfo, Participant, UserEvidence } from '../kubernetes/messages/message.js';
import { indexMessages, type MessageIndex } from './message-index.js';
import { BEHIND_SERVICES } from './selection/follow.js';
import { WRITES } from './verbs.js';

/**
 * @param captures names of the captures, if there are several.
 * @returns lines; null: no message has this number.
 */
export function explain(
  messages: readonly Message[],
  seq: number,
  captures?: readonly string[],
): readonly string[] | null {
  const message = messages.find((one) => one.seq === seq);
  if (message === undefined) return null;
  const index = indexMessages(messages);
  return [
    `message ${seq}: ${message.from.name} → ${message.to.name}: ${message.label}`,
    `  ${placeOf(message, captures)}`,
    ...inferredLines(message),
    ...participantLines('from', message.from),
    ...userLines(message, index),
    ...(message.via ?? []).flatMap((one) => participantLines('by way of', one)),
    ...participantLines('to', message.to),
    ...copyLines(message, captures),
    ...failureLines(message, index),
    ...lostLines(message, index),
    ...objectLines(message),
    ...deletionLines(message, index),
    ...patchLines(message, index),
    ...causeLines(message, index, captures),
    ...effectLines(message, messages),
  ];
}

function placeOf(message: Message, captures: readonly string[] | undefined): string {
  const { frames: range, capture, lastCapture } = message;
  const [first, last] = range;
  const frames =
    lastCapture === undefined
      ? `${framesText(range)}${fileOf(capture, captures)}`
      : `frame ${first} of ${captures?.[capture] ?? 'one capture'} to frame ${last} of ${captures?.[lastCapture] ?? 'another'}`;
  const stream = message.stream === null ? '' : `, stream ${message.stream}`;
  const whole = message.complete ? '' : '; bytes of it are missing';
  return `${frames}, connection ${message.connection}${stream}, exchange ${message.exchange}${whole}`;
}

function fileOf(capture: number, captures: readonly string[] | undefined): string {
  return captures === undefined ? '' : ` of ${captures[capture] ?? ''}`;
}

/** Copies of the message with translated addresses. */
function copyLines({ translated, via }: Message, captures: readonly string[] | undefined): string[] {
  const why = via?.some(({ tier }) => tier === 'proxies') === true ? BEHIND_PROXY : TRANSLATED;
  return (translated ?? []).map(
    ({ connection, capture, frames }) =>
      `seen again as connection ${connection} in ${framesText(frames)}${fileOf(capture, captures)}: ${why}`,
  );
}

const TRANSLATED = 'its addresses were translated, its TCP sequence numbers and its bytes are the same';
const BEHIND_PROXY = 'a proxy passes its TLS through, and the session is the same';

function inferredLines({ inferred }: Message): string[] {
  return inferred === undefined ? [] : [`  concluded, not read: ${inferred.join(', ')}`];
}

function participantLines(word: string, participant: Participant): string[] {
  const part = participant.process.name === participant.name ? '' : `, part of ${participant.process.name}`;
  return [`${word}: ${participant.name}${part}; evidence:`, ...participant.evidence.map((how) => `  ${how}`)];
}

/** Patches of webhooks, for the write and for the calls of the webhooks. */
function patchLines(message: Message, index: MessageIndex): string[] {
  const { request, response } = index.exchangeOf(message);
  const own = response?.patch === undefined ? [] : [response];
  const others =
    request === undefined || message.kind === 'event'
      ? []
      : index.messages.filter((one) => one.patch !== undefined && requestOf(one)?.causedBy === request.seq);
  return [...own, ...others].flatMap((one) => [
    `patch of ${one.from.name}, message ${one.seq}:`,
    ...(one.patch ?? []).map((operation) => `  ${JSON.stringify(operation)}`),
  ]);
}

/** Why the request failed, where the response has it in words. */
function failureLines(message: Message, index: MessageIndex): string[] {
  if (message.kind !== 'request' && message.kind !== 'response') return [];
  const { seq, status, reason, statusMessage } = index.exchangeOf(message).response ?? {};
  if (statusMessage === undefined) return [];
  const outcome = [status === OK ? undefined : status, reason].filter((part) => part !== undefined).join(' ');
  return [`failed: message ${seq}: ${outcome === '' ? '' : `${outcome}: `}${statusMessage.replaceAll('\n', ' ')}`];
}

/** What was lost below HTTP, of the latency and before. */
function lostLines(message: Message, index: MessageIndex): string[] {
  if (message.kind !== 'request' && message.kind !== 'response') return [];
  const { latencyMs, times } = index.exchangeOf(message).response ?? {};
  const lost = lostText(times, latencyMs);
  return lost === '' ? [] : [`latency: ${latencyCell(latencyMs)}${lost}`];
}

/** gRPC answers errors with it, too. */
const OK = 200;

/** The authenticated user of the request. */
function userLines(message: Message, index: MessageIndex): string[] {
  if (message.kind !== 'request' && message.kind !== 'response') return [];
  const { request, response } = index.exchangeOf(message);
  const source = response?.user === undefined ? request : response;
  if (source?.user === undefined || source.userFrom === undefined) return [];
  return [`user: ${source.user}; evidence:`, `  ${USER_EVIDENCE[source.userFrom]}`];
}

const USER_EVIDENCE: Readonly<Record<UserEvidence, string>> = dictionary({
  certificate: 'the client of the connection shows a certificate of that name',
  token: 'the request has a token of that service account',
  impersonation: 'the request acts for that user (Impersonate-User)',
  'front proxy': 'the API server that forwards the request names the user (X-Remote-User)',
  loopback: 'it is the API server that sends requests to itself',
  refusal: 'the server names the user where it refuses a request with the same credential',
  'admission review': 'the API server names the user to an admission webhook',
  'token review': 'the API server names the user of the same token',
  'self subject review': 'the API server names the user to a client with the same credential',
  'audit log': "the API server's audit log names the user",
  'certificate signing request': 'the API server names the user who requested a certificate with the same credential',
});

function objectLines({ object, k8sEvent, appliedFor }: Message): string[] {
  const lines: string[] = [];
  if (object !== undefined) {
    const name = [object.namespace, object.name].filter((part) => part != null).join('/');
    const count = object.items === undefined ? '' : `, ${object.items} items`;
    lines.push(`object: ${object.kind} ${name}${count}`.trimEnd());
    if (object.uid != null) lines.push(`  uid ${object.uid}`);
    if (object.resourceVersion != null) lines.push(`  resourceVersion ${object.resourceVersion}`);
    for (const owner of object.owners ?? []) lines.push(`  owned by ${owner.kind} ${owner.name} (uid ${owner.uid})`);
  }
  if (appliedFor !== undefined) {
    const place = appliedFor.namespace === '' ? '' : ` in ${appliedFor.namespace}`;
    lines.push(`  for ${objectReference(appliedFor.resource, appliedFor.name)}${place}, by its labels or annotations`);
  }
  if (k8sEvent !== undefined)
    lines.push(`  reports on ${k8sEvent.kind} ${k8sEvent.name}: ${k8sEvent.type} ${k8sEvent.reason}`);
  return lines;
}

/** Who deleted its object, of messages from the request on that asked for it. A call of the store is about the object of its request. */
function deletionLines(message: Message, index: MessageIndex): string[] {
  const { request = message } = index.exchangeOf(message);
  const about = message.cause?.how === 'store' || request.cause?.how === 'store' ? index.causeOf(request) : message;
  const { deletion = null } = about?.about ?? {};
  const since = deletion?.askedBy?.request.seq ?? 0;
  return deletion === null || message.seq < since ? [] : [`  ${deletionWords(deletion)}`];
}

function causeLines(message: Message, index: MessageIndex, captures: readonly string[] | undefined): string[] {
  if (message.causedBy === undefined) {
    const why = whyNone(message, index);
    return [why === '' ? 'cause: none found' : `cause: none found: ${why}`];
  }
  const cause = index.causeOf(message);
  if (cause === undefined) return [`cause: message ${message.causedBy}`];
  return [
    `cause: message ${cause.seq}: ${cause.from.name} → ${cause.to.name}: ${cause.label}`,
    `  ${placeOf(cause, captures)}`,
    `  ${whyCause(message, cause, index)}`,
    ...howSure(message, index),
  ];
}

function howSure({ cause }: Message, index: MessageIndex): string[] {
  if (cause === undefined || cause.how === 'response') return [];
  if (cause.certain) return ['  certain: no other message in the capture can be the cause'];
  const { others = [] } = cause;
  if (others.length === 0) return ['  not certain'];
  const places = others.map((seq) => {
    const other = index.withSeq(seq);
    return other === undefined ? String(seq) : `${seq} (${framesText(other.frames)})`;
  });
  return [
    `  not certain: the cause can also be ${others.length === 1 ? 'message' : 'one of the messages'} ${places.join(', ')}`,
  ];
}

/** Empty: no reason is known. */
function whyNone(message: Message, index: MessageIndex): string {
  const why = whyUncaused(message);
  if (why !== '' || message.kind !== 'event') return why;
  const made = writeOf(message, index);
  return made === undefined
    ? 'no captured write made this version'
    : `message ${made.seq} made this version, which was not known yet when this event was delivered`;
}

/** Why a message has no cause, as far as it tells by itself; empty: it may have one. */
export function whyUncaused(message: Message): string {
  if (message.initial === true) return 'it is state at the start of a list, not a change';
  if (message.type === 'BOOKMARK') return 'bookmarks only carry a version';
  return message.kind === 'request' ? whyUntriggered(message) : '';
}

/** Why no event triggers a request; empty: one may, but is not known. */
function whyUntriggered(message: Message): string {
  const { from, protocol, resource, k8sEvent } = message;
  if (from.tier === 'people') return 'a person sent it';
  if (protocol !== 'kubernetes' || (resource !== 'leases' && !RUN_BY_THEMSELVES.has(from.component))) return '';
  return untriggeredBy({ component: from.component, info: message, k8sEvent })?.why ?? '';
}

/** The write whose response has the version of an event. */
function writeOf({ object }: Message, index: MessageIndex): Message | undefined {
  if (object?.uid == null || object.resourceVersion == null) return undefined;
  const answer = index.messages.find(
    (one) =>
      one.kind === 'response' &&
      one.object?.uid === object.uid &&
      one.object?.resourceVersion === object.resourceVersion &&
      WRITES.has(requestOf(one)?.verb ?? ''),
  );
  return answer === undefined ? undefined : requestOf(answer);
}

function whyCause(message: Message, cause: Message, index: MessageIndex): string {
  if (message.exchange === cause.exchange) return 'it is the answer to this request';
  if (message.to.tier === 'extensions')
    return 'the API server calls it because of this request: the same object, and its answer is pending';
  if (message.protocol === 'registry') return 'the runtime was requested to pull this image, and has not answered yet';
  if (message.verb === 'watch' || message.verb === 'list') {
    if (cause.type === 'ERROR') return 'this ended its watch of the same: the version was too old';
    return `it resumes from version ${cause.object?.resourceVersion}, which this message carried`;
  }
  if (message.kind === 'event') {
    const made = index.exchangeOf(cause).response?.object;
    const version = message.object?.resourceVersion;
    if (made?.uid != null && made.uid === message.object?.uid && made.resourceVersion === version) {
      return `its answer (message ${index.exchangeOf(cause).response?.seq}) has version ${version} of this uid`;
    }
    if (message.type === 'DELETED' && made?.resourceVersion != null)
      return 'its answer has the object as it was: it took what the deletion waited for';
    return 'it is the only write to this object that can have made this version; its answer does not carry one';
  }
  if (cause.kind === 'event') {
    const acted = sameCause(message, cause, index);
    if (acted !== undefined)
      return `message ${acted.seq}, which ${message.from.name} sent last for this object, has this cause`;
    const isOwn = index.causeOf(cause)?.from.id === message.from.id;
    const written = `which ${isOwn ? 'its own write' : "another client's write"} had caused`;
    const again = message.cause?.how === 'requeue' ? '; it triggered the turn before, too' : '';
    const about = relationOf(message, cause, index);
    return `it is the trigger: ${message.from.process.name} had received this watch event about ${about}, ${written}${again}`;
  }
  if (message.protocol === 'cri') {
    if (message.rpcMethod !== undefined)
      return 'the kubelet received a request for this about the same Pod, and calls its runtime';
    if (cause.protocol === 'cri') return 'the answer to this call is the address that the kubelet streams to';
    return 'the kubelet received a request for this, and nothing else of the kind was pending';
  }
  if (message.cause?.how === 'store')
    return message.traceparent === undefined
      ? 'the API server calls its store while it answers this request about the same object'
      : 'the API server calls its store for this request: the same trace, or the same object meanwhile';
  return 'it requested the same thing just before';
}

/**
 * The last create or delete of an owned object that the sender sent because of the same event, if the event is about neither
 * object: it explains the sender's next request about the owner.
 */
function sameCause(request: Message, event: Message, index: MessageIndex): Message | undefined {
  const uid = request.k8sEvent?.uid ?? index.exchangeOf(request).response?.object?.uid ?? request.object?.uid;
  if (uid == null || event.object?.uid === uid || event.object?.owners?.some((owner) => owner.uid === uid) === true)
    return undefined;
  return index.messages.findLast(
    (one) =>
      one.kind === 'request' &&
      one.seq < request.seq &&
      one.causedBy === event.seq &&
      one.from.id === request.from.id &&
      (one.verb === 'create' || one.verb === 'delete') &&
      index.exchangeOf(one).response?.object?.owners?.some((owner) => owner.uid === uid) === true,
  );
}

/** How the object of an event is related to that of a request, in words. */
function relationOf(request: Message, event: Message, index: MessageIndex): string {
  const source = event.object;
  const object = index.exchangeOf(request).response?.object ?? request.object;
  const resource = requestOf(event)?.resource;
  if (request.k8sEvent !== undefined) return relationToReport(request.k8sEvent.uid, source);
  if (source?.uid != null && source.uid === object?.uid) return 'this object';
  if (resource === request.resource && source?.name === request.name && request.name !== undefined)
    return source?.uid != null && object?.uid != null ? 'what had its name before' : 'this object';
  if (BEHIND_SERVICES.has(request.resource ?? '') && source?.kind === 'Pod') return 'a Pod that it names';
  const words = RELATIONS[`${request.subresource === 'binding' ? 'binding' : request.resource} ${source?.kind}`];
  if (words !== undefined) return words;
  const isOneOf = (owners: readonly OwnerInfo[] | undefined, uid: string | null | undefined): boolean =>
    owners?.some((owner) => owner.uid === uid) === true;
  if (isOneOf(object?.owners, source?.uid)) return 'its owner';
  if (isOneOf(source?.owners, object?.uid)) return 'what it owns';
  if (source?.owners?.some(({ uid }) => isOneOf(object?.owners, uid)) === true) return 'another object of its owner';
  return 'what it belongs with';
}

/** @param uid of the object that a Kubernetes Event reports on. */
function relationToReport(uid: string, source: Message['object']): string {
  if (source?.uid == null || source.uid === uid) return 'the object that it reports on';
  const isOwned = source.owners?.some((owner) => owner.uid === uid) === true;
  return isOwned ? 'what the reported object owns' : 'what its controller worked on when it was recorded';
}

/** Resource of the request and kind of the event's object → words. */
const RELATIONS: Readonly<Record<string, string>> = dictionary({
  'pods ConfigMap': 'what the Pod lacked',
  'pods Secret': 'what the Pod lacked',
  'binding Node': 'the node that it gets',
  'binding Pod': 'a Pod that was on this node',
  'binding PersistentVolumeClaim': 'a claim of the Pod',
  'binding ResourceClaim': 'a claim of the Pod',
  'persistentvolumeclaims Pod': 'a Pod that claims it',
  'persistentvolumeclaims PersistentVolume': 'its volume',
  'persistentvolumeclaims StorageClass': 'its class',
  'resourceclaims Pod': 'a Pod that claims it',
  'persistentvolumes PersistentVolumeClaim': 'its claim',
  'persistentvolumes VolumeAttachment': 'what attaches it',
  'volumeattachments Pod': 'a Pod that claims what it attaches',
  'volumeattachments PersistentVolume': 'what it attaches',
});

function effectLines(message: Message, messages: readonly Message[]): string[] {
  const effects = messages.filter((one) => one.causedBy === message.seq && one.exchange !== message.exchange);
  if (effects.length === 0) return [];
  const shown = effects
    .slice(0, MAX_EFFECTS)
    .map((one) => `  message ${one.seq}: ${one.from.name} → ${one.to.name}: ${one.label}`);
  const more = effects.length > MAX_EFFECTS ? [`  and ${effects.length - MAX_EFFECTS} more`] : [];
  return ['led to:', ...shown, ...more];
}

/** Programs that send requests without an event, too. */
const RUN_BY_THEMSELVES: ReadonlySet<string> = new Set(['kube-apiserver', 'node-controller']);
/** Limit: effects of a message that `explain` lists. */
const MAX_EFFECTS = 20;
