// Builds the sequence diagram that the user's options ask for.

import { buildSequence, type DiagramOptions, type Message, type Sequence } from '../../index.js';
import { followOf, layersOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { readParticipants } from '../participants.js';
import { MessageChoice } from './message-choice.js';
import type { Session } from './session.js';

export function sequenceOf(messages: readonly Message[], options: DiagramCliOptions, session: Session): Sequence {
  return buildSequence({ messages, notices: session.notices }, diagramOptions(options, session)(messages));
}

/** The library's options for messages of a session. */
export function diagramOptions(
  options: DiagramCliOptions,
  session: Session,
): (messages: readonly Message[]) => DiagramOptions {
  const common = optionsOf(options);
  return (messages) => ({ ...common, selected: new MessageChoice(options, session).selectedOf(messages) });
}

/** The same without the selection. */
export function optionsOf(options: DiagramCliOptions): DiagramOptions {
  const named = options.participants === undefined ? undefined : readParticipants(options.participants);
  return {
    follow: followOf(options),
    all: options.all,
    layers: layersOf(options),
    by: options.by,
    order: named?.order,
    groups: named?.groups,
  };
}
