// Draws the story of a capture: `await story('capture.pcap', { follow: 'pod/nginx' }).toMermaid()`.

import {
  ALL_LAYERS,
  buildSequence,
  compileWhere,
  type DiagramOptions,
  foldAnswers,
  type Message,
  type Notice,
  type Protocol,
  parseFollow,
  renderMarkdown,
  renderMermaid,
  renderPlantuml,
  renderText,
  Selector,
  type Sequence,
  shortLabels,
} from '../index.js';
import { type CaptureInput, checkOptionNames } from './capture-input.js';
import { type ReadCapture, type ReadCaptureOptions, readCapture } from './read-capture.js';

export interface StoryOptions extends ReadCaptureOptions {
  /** One object and what belongs to it: `pod/nginx`, `deployments.apps/web`. */
  readonly follow?: string;
  /** Namespace of that object; null: any. Default `default`. */
  readonly namespace?: string | null;
  /** Only messages for which this CEL expression holds, as `--where` has it. */
  readonly where?: string;
  /** Default: what a Kubernetes API server and its clients say. */
  readonly layers?: readonly Protocol[];
  /** Fold nothing away. */
  readonly all?: boolean;
  /** `short`: `create pod nginx` in place of methods and paths. */
  readonly labels?: 'full' | 'short';
  /** `folded`: ordinary answers stand in the labels of their requests. */
  readonly answers?: 'drawn' | 'folded';
}

/** What a capture tells, read at the first question. */
export class CapturedStory {
  readonly #input: CaptureInput | readonly CaptureInput[];
  readonly #options: StoryOptions;
  readonly #drawing: Omit<DiagramOptions, 'selected'>;
  #read: Promise<ReadCapture> | null = null;

  constructor(input: CaptureInput | readonly CaptureInput[], options: StoryOptions) {
    this.#input = input;
    this.#options = options;
    this.#drawing = drawingOf(options);
  }

  /** All messages, in the order of time. */
  async messages(): Promise<readonly Message[]> {
    return (await this.#capture()).messages;
  }

  /** What a reader of the messages must know: gaps, connections that could not be read. */
  async notices(): Promise<readonly Notice[]> {
    return (await this.#capture()).notices;
  }

  /** The text of a mermaid sequence diagram; a comment above each arrow has the number of its message. */
  async toMermaid(): Promise<string> {
    return renderMermaid(await this.#sequence(), { seqs: true });
  }

  /** A page with the diagram in parts, and the objects that were sent. */
  async toMarkdown(): Promise<string> {
    return renderMarkdown(await this.#sequence(), { seqs: true });
  }

  async toPlantuml(): Promise<string> {
    return renderPlantuml(await this.#sequence());
  }

  /** The diagram in characters, for a terminal or a log. */
  async toText(): Promise<string> {
    return renderText(await this.#sequence(), { first: (await this.#capture()).first });
  }

  #capture(): Promise<ReadCapture> {
    this.#read ??= readCapture(this.#input, this.#options);
    return this.#read;
  }

  async #sequence(): Promise<Sequence> {
    const { messages, notices } = await this.#capture();
    const { where, labels, answers } = this.#options;
    const selected = where === undefined ? undefined : selectedBy(where, messages);
    const whole = buildSequence({ messages, notices }, { ...this.#drawing, selected });
    const worded = labels === 'short' ? shortLabels(whole) : whole;
    return answers === 'folded' ? foldAnswers(worded) : worded;
  }
}

/**
 * @param input a capture, or several of one moment (a control plane's and its nodes').
 * @returns its story; nothing is read before it is asked for something.
 * @throws TypeError for an option that cannot be meant, with what it should be.
 */
export function story(input: CaptureInput | readonly CaptureInput[], options: StoryOptions = {}): CapturedStory {
  checkOptionNames('story', options, OPTIONS);
  return new CapturedStory(input, options);
}

/** @throws TypeError */
export function drawingOf({
  follow,
  namespace = 'default',
  where,
  layers,
  all,
}: StoryOptions): Omit<DiagramOptions, 'selected'> {
  const followed = follow === undefined ? undefined : parseFollow(follow, namespace);
  if (followed === null) throw new TypeError(`follow: expected KIND/NAME, for example pod/nginx, not ${follow}`);
  const unknown = layers?.find((layer) => !ALL_LAYERS.has(layer));
  if (unknown !== undefined)
    throw new TypeError(`layers: there is no ${unknown}; there are ${[...ALL_LAYERS].join(', ')}`);
  if (where !== undefined) compiled(where);
  return { follow: followed, all, layers: layers === undefined ? undefined : new Set(layers) };
}

/** @throws TypeError */
function compiled(where: string): ReturnType<typeof compileWhere> {
  try {
    return compileWhere(where);
  } catch (error) {
    throw new TypeError(`where: ${(error as Error).message}`);
  }
}

function selectedBy(where: string, messages: readonly Message[]): (message: Message) => boolean {
  const selector = new Selector({ where: compiled(where) });
  const selected = new Set<number>();
  for (const message of messages) for (const { seq } of selector.feed(message)) selected.add(seq);
  for (const { seq } of selector.end()) selected.add(seq);
  return ({ seq }) => selected.has(seq);
}

const OPTIONS: Readonly<Record<keyof StoryOptions, true>> = {
  follow: true,
  namespace: true,
  where: true,
  layers: true,
  all: true,
  labels: true,
  answers: true,
  secrets: true,
  reveal: true,
  naming: true,
};
