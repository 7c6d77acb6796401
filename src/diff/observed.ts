// Converts the messages of an observation to items.

import { buildSequence } from '../diagram/build.js';
import { indexMessages, type Observation, predecessorOf } from '../diagram/message-index.js';
import { WRITES } from '../diagram/selection/follow.js';
import { DEFAULT_LAYERS, type DiagramOptions, isInLayers, storyMessages } from '../diagram/selection/visibility.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { DiffSide, Item } from './item.js';
import { type Normalise, normaliser } from './names.js';

/** What a diagram of the observation would draw, before repeats and siblings are folded, in the order of the capture. */
export function observedSide(name: string, observation: Observation, options: DiagramOptions): DiffSide {
  const index = indexMessages(observation.messages);
  const normalise = normaliser(index);
  const story = new Set(storyMessages(observation, options));
  const itemOf = (message: Message): Item => {
    const request = index.requestOf(message);
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
    };
  };
  const items = [...story].map(itemOf);
  const notDrawn = observation.messages
    .filter((message) => !story.has(message) && isInside(message, options))
    .map(itemOf);
  const drawn = buildSequence(observation, options).participants.map((one) => normalise(one.name));
  const others = items.flatMap(({ from, to }) => [from, to]);
  return { name, items, notDrawn, participants: [...new Set([...drawn, ...others])] };
}

/** Whether a message is of the layers and the selection that the user chose. */
function isInside(message: Message, { layers, selected }: DiagramOptions): boolean {
  return isInLayers(message, layers ?? DEFAULT_LAYERS) && (selected?.(message) ?? true);
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
    about.add(normalise(`${object.namespace ?? ''}/${object.name}`));
  const named = message.kind === 'event' ? undefined : (request ?? message);
  if (named?.name !== undefined) about.add(normalise(`${named.namespace ?? ''}/${named.name}`));
  for (const { name } of object?.owners ?? []) about.add(normalise(`${object?.namespace ?? ''}/${name}`));
  return [...about];
}
