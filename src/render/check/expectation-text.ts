// Renders observed messages as an expectation: a diagram or label with wildcards for names that differ between runs.

import type { MessageIndex } from '../../diagram/message-index.js';
import type { Sequence, Step } from '../../diagram/model.js';
import { GeneratedNames, type PlaceholderStyle } from '../../expectation/generated.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { escapeMermaid, shorten, wrap } from '../escape/mermaid-escape.js';
import { renderMermaid } from '../sequence/mermaid.js';

export class ExpectationText {
  readonly #generated: GeneratedNames;

  constructor(observed: MessageIndex) {
    this.#generated = new GeneratedNames(observed, MARKED);
  }

  /** The label of one arrow. */
  label(message: Message): string {
    return withBraces(
      wrap(shorten(this.#label(message)))
        .map(escapeMermaid)
        .join('<br>'),
    );
  }

  /** A whole diagram, without its closing note, which holds facts of this run alone. */
  diagram(sequence: Sequence): string {
    const steps = sequence.steps.filter((step) => step.kind !== 'note' || step.isClosing !== true);
    const participants = sequence.participants.map((one) => ({ ...one, name: this.#generated.in(one.name) }));
    return withBraces(renderMermaid({ ...sequence, participants, steps: steps.map((step) => this.#step(step)) }));
  }

  #step(step: Step): Step {
    if (step.kind === 'loop') {
      const title = step.title === undefined ? undefined : this.#generated.in(step.title);
      return { ...step, title, steps: step.steps.map((inner) => this.#step(inner)) };
    }
    if (step.kind === 'note') return { ...step, lines: step.lines.map((line) => this.#generated.in(line)) };
    return { ...step, message: { ...step.message, label: this.#label(step.message) } };
  }

  #label(message: Message): Message['label'] {
    return this.#generated.in(message.label, message);
  }
}

/** Replaces the escaped marks around a name by braces. */
function withBraces(text: string): string {
  return text.replaceAll(`#${OPEN.codePointAt(0)};`, '{').replaceAll(`#${CLOSE.codePointAt(0)};`, '}');
}

const OPEN = '\u{f2001}';
const CLOSE = '\u{f2002}';
const MARKED: PlaceholderStyle = { name: (stem) => `${OPEN}${stem}${CLOSE}`, any: () => '*' };
