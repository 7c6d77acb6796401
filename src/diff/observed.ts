// Converts the messages of an observation to items.

import { isRecord } from '../core/record.js';
import { buildSequence } from '../diagram/build.js';
import { nondeterministicExchanges } from '../diagram/folding/nondeterminism.js';
import { indexMessages, type Observation, predecessorOf } from '../diagram/message-index.js';
import { WRITES } from '../diagram/selection/follow.js';
import { DEFAULT_LAYERS, type DiagramOptions, isInLayers, storyOf } from '../diagram/selection/visibility.js';
import { qualifiedName } from '../kubernetes/api/object-ref.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { DiffSide, Item } from './item.js';
import { type Normalise, normaliser } from './names.js';

/**
 * What `diagram --all` would draw of the observation, in the order of the capture; each item says whether a diagram leaves it out, before
 * repeats and siblings are folded.
 */
export function observedSide(name: string, observation: Observation, options: DiagramOptions): DiffSide {
  const index = indexMessages(observation.messages);
  const normalise = normaliser(index);
  const { dispositions } = storyOf(index, { ...options, all: false });
  const { dispositions: all } = storyOf(index, { ...options, all: true });
  const retried = nondeterministicExchanges(index);
  const itemOf = (message: Message): Item => {
    const { request, response } = index.exchangeOf(message);
    const disposition = dispositions.get(message);
    return {
      kind: message.kind,
      from: normalise(participantName(message.from, options)),
      to: normalise(participantName(message.to, options)),
      label: normalise(message.label),
      requestLabel: message.kind === 'request' ? '' : requestLabelOf(request, normalise),
      about: aboutOf(message, request, normalise),
      writes: message.kind === 'request' && message.verb !== undefined && WRITES.has(message.verb),
      exchange: message.exchange,
      seq: message.seq,
      follows: predecessorOf(message),
      where: { frames: message.frames, seq: message.seq },
      roles: [normalise(roleOf(message.from, options)), normalise(roleOf(message.to, options))],
      body: sends(message) ? () => bodyOf(message, normalise) : undefined,
      source: {
        message,
        request,
        response,
        background: disposition === 'drawn' ? undefined : disposition,
        isRetried: retried.has(message.exchange) && request !== undefined && WRITES.has(request.verb ?? ''),
      },
    };
  };
  const isCompared = (message: Message): boolean =>
    all.get(message) === 'drawn' || dispositions.get(message) === 'drawn';
  const items = observation.messages.filter(isCompared).map(itemOf);
  const notDrawn = observation.messages
    .filter((message) => !isCompared(message) && isInside(message, options))
    .map(itemOf);
  const drawn = buildSequence(observation, options).participants.map((one) => normalise(one.name));
  const others = items.flatMap(({ from, to }) => [from, to]);
  return { name, items, notDrawn, participants: [...new Set([...drawn, ...others])] };
}

/** Whether a message is of the layers and the selection that the user chose. */
function isInside(message: Message, { layers, selected }: DiagramOptions): boolean {
  return isInLayers(message, layers ?? DEFAULT_LAYERS) && (selected?.(message) ?? true);
}

/** Whether what it sends tells what its sender wants; a status tells what is. */
function sends({ kind, verb, subresource }: Message): boolean {
  return kind === 'request' && WRITES.has(verb ?? '') && subresource !== 'status';
}

/** What a request sends: fields of its body, and parameters of its target as `?dryRun`. */
function bodyOf(message: Message, normalise: Normalise): unknown {
  const comparable = (value: unknown): unknown => {
    if (typeof value === 'string') return normalise(value.replaceAll(TIME, '{time}'));
    if (Array.isArray(value)) return value.map(comparable);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, comparable(one)]));
  };
  const [, query = ''] = (message.target ?? '').split('?', 2);
  const parameters = [...new URLSearchParams(query)].map(([name, value]) => [`?${name}`, normalise(value)]);
  const body = comparable(message.details?.body());
  return body === undefined ? undefined : { ...Object.fromEntries(parameters), ...(isRecord(body) ? body : { body }) };
}

function roleOf(one: Participant, { by }: DiagramOptions): string {
  return by === 'component' ? one.process.component : one.component;
}

function participantName(one: Participant, { by }: DiagramOptions): string {
  const { name } = by === 'component' ? one.process : one;
  return name;
}

function requestLabelOf(request: Message | undefined, normalise: Normalise): string {
  return request === undefined ? '(before the capture)' : normalise(request.label);
}

function aboutOf(message: Message, request: Message | undefined, normalise: Normalise): readonly string[] {
  const about = new Set<string>();
  const { object } = message;
  if (object?.name != null && object.name !== '' && object.kind !== 'Status')
    about.add(normalise(qualifiedName(object.namespace, object.name)));
  const named = message.kind === 'event' ? undefined : (request ?? message);
  if (named?.name !== undefined) about.add(normalise(qualifiedName(named.namespace, named.name)));
  for (const { name } of object?.owners ?? []) about.add(normalise(qualifiedName(object?.namespace, name)));
  return [...about];
}

/** RFC 3339. */
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
