// Defines what `view` shows: the messages of an observation with the reason why a diagram folds each away, and the pages that are
// made of them on demand.

import {
  ALL_LAYERS,
  bodyText,
  buildSequence,
  type DiagramOptions,
  type ExplorerEntry,
  escapeTerminal,
  explain,
  explorerData,
  framesText,
  type Message,
  messagesAbout,
  NOTHING_MISSING,
  type Observation,
  objectReference,
  type Protocol,
  parseFollow,
  renderText,
  shortLabels,
} from '../../index.js';
import type { ViewedObject } from './message-list.js';

export interface ViewOptions {
  /** What the diagram's options choose. */
  readonly drawing: DiagramOptions;
  /** ns since the epoch: the first frame. */
  readonly first: bigint;
  /** Names of the captures, if there are several. */
  readonly captures?: readonly string[];
  /** Names for the head line. */
  readonly title: string;
  /** What could not be read, a line each. */
  readonly notices: readonly string[];
}

export interface ViewedDiagram {
  /** Fold nothing away. */
  readonly isWhole: boolean;
  /** Methods and paths in place of a few words. */
  readonly hasFullLabels: boolean;
  /** Cells. */
  readonly width: number;
}

export class ViewData {
  readonly options: ViewOptions;
  readonly entries: readonly ExplorerEntry[];
  /** Names of participants, which entries give by index. */
  readonly names: readonly string[];
  readonly #observation: Observation;
  readonly #layers: ReadonlySet<Protocol>;
  /** The diagram's line about missing data; null: nothing is missing. */
  readonly #missing: string | null;

  constructor(observation: Observation, options: ViewOptions) {
    const { entries, participants, layers, missing } = explorerData(
      observation,
      options.drawing,
      Number.POSITIVE_INFINITY,
    );
    this.options = options;
    this.entries = entries;
    this.names = participants.map(({ name }) => escapeTerminal(name));
    this.#observation = observation;
    this.#layers = layers;
    this.#missing = missing;
  }

  isDrawn({ folded, layer }: ExplorerEntry): boolean {
    return folded === null && this.#layers.has(layer);
  }

  /** What could not be read: the diagram's line, then the notices. */
  unreadLines(): readonly string[] {
    const { notices } = this.options;
    return [this.#missing ?? NOTHING_MISSING, ...notices].flatMap((line) => [line, '']);
  }

  /** Messages of one object's story. */
  about({ resource, namespace, name }: ViewedObject): ReadonlySet<Message> {
    const followed = parseFollow(objectReference(resource, name), namespace);
    return new Set(followed === null ? [] : messagesAbout(this.#observation.messages, followed));
  }

  /** Why the message has its participants, object and cause; then its head and body. */
  detailsOf({ message, folded }: ExplorerEntry): readonly string[] {
    const { captures } = this.options;
    const lines = [...(explain(this.#observation.messages, message.seq, captures) ?? [])];
    if (folded !== null) lines.push(`diagrams fold it away: ${folded}`);
    const { details } = message;
    if (details === undefined) return lines.map(escapeTerminal);
    const fields = details.fields().map(([name, value]) => `${name}: ${value}`);
    const body = details.body();
    const bodyLines = body === undefined ? [] : ['', ...bodyText(body, 2).split('\n')];
    return [...lines, ...(fields.length > 0 ? ['', ...fields] : [])].map(escapeTerminal).concat(bodyLines);
  }

  diagramOf(chosen: ReadonlySet<Message>, { isWhole, hasFullLabels, width }: ViewedDiagram): readonly string[] {
    const { drawing, first } = this.options;
    const sequence = buildSequence(this.#observation, {
      ...drawing,
      ...(isWhole ? { all: true, layers: ALL_LAYERS } : null),
      selected: (message) => chosen.has(message),
    });
    const shown = hasFullLabels ? sequence : shortLabels(sequence);
    return renderText(shown, { first, width }).trimEnd().split('\n');
  }

  /** Where a message lies: `frame 12`. */
  placeOf({ frames, capture }: Message): string {
    const name = this.options.captures?.[capture];
    return `${framesText(frames)}${name === undefined ? '' : ` of ${escapeTerminal(name)}`}`;
  }
}
