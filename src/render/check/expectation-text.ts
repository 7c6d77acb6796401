// An expectation as its author would have written it: a picture or a label of what was seen, with the names that differ
// from run to run left open. Knows mermaid's escape and what `{…}` means to an expectation.

import type { MessageIndex } from '../../diagram/message-index.js';
import type { Sequence, Step } from '../../diagram/model.js';
import { GeneratedNames, type Stand } from '../../expectation/generated.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { escapeMermaid, shorten, wrap } from '../escape/mermaid-escape.js';
import { renderMermaid } from '../sequence/mermaid.js';

export class ExpectationText {
  readonly #generated: GeneratedNames;

  constructor(seen: MessageIndex) {
    this.#generated = new GeneratedNames(seen, MARKED);
  }

  /** The label of one arrow. */
  label(message: Message): string {
    return opened(
      wrap(shorten(this.#open(message)))
        .map(escapeMermaid)
        .join('<br>'),
    );
  }

  /** A whole diagram, without what only this run could say: what was folded, what is missing. */
  diagram(sequence: Sequence): string {
    const closing = sequence.steps[sequence.steps.length - 1];
    const isClosed = closing?.kind === 'note' && closing.lines === sequence.closing;
    const steps = isClosed ? sequence.steps.slice(0, -1) : sequence.steps;
    const participants = sequence.participants.map((one) => ({ ...one, name: this.#generated.in(one.name) }));
    return opened(renderMermaid({ ...sequence, participants, steps: steps.map((step) => this.#step(step)) }));
  }

  #step(step: Step): Step {
    if (step.kind === 'loop') {
      const title = step.title === undefined ? undefined : this.#generated.in(step.title);
      return { ...step, title, steps: step.steps.map((inner) => this.#step(inner)) };
    }
    if (step.kind === 'note') return { ...step, lines: step.lines.map((line) => this.#generated.in(line)) };
    return { ...step, message: { ...step.message, label: this.#open(step.message) } };
  }

  #open(message: Message): Message['label'] {
    return this.#generated.in(message.label, message);
  }
}

/** What the escape of mermaid made of the marks around a name becomes braces. */
function opened(text: string): string {
  return text.replaceAll(`#${OPEN.codePointAt(0)};`, '{').replaceAll(`#${CLOSE.codePointAt(0)};`, '}');
}

const OPEN = '\u{f2001}';
const CLOSE = '\u{f2002}';
const MARKED: Stand = { name: (stem) => `${OPEN}${stem}${CLOSE}`, any: () => '*' };
