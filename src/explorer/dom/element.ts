// Creates elements. Captured text enters the document only here, as text nodes in which invisible and direction characters are escaped.

import { escapeTerminal } from '../../render/escape/terminal-escape.js';

type Child = Node | string | null | undefined;

/** @param attributes fixed texts; captured text is allowed in `title` and `aria-label` only. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number | true | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    created.setAttribute(key, value === true ? '' : escapeTerminal(String(value)));
  }
  add(created, ...children);
  return created;
}

export function add(parent: Element, ...children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    parent.append(typeof child === 'string' ? textNode(child) : child);
  }
}

/** Text that keeps its line breaks and tabs. */
export function textNode(text: string): Text {
  return document.createTextNode(
    text
      .split(/([\n\t])/)
      .map(visible)
      .join(''),
  );
}

/** Text on one line, as the page's own HTML has it: line breaks and tabs are shown as escapes too. */
export function lineNode(text: string): Text {
  return document.createTextNode(escapeTerminal(text));
}

export function button(text: string, act: () => void, attributes: Readonly<Record<string, string>> = {}): HTMLElement {
  const created = element('button', { type: 'button', ...attributes }, text);
  created.addEventListener('click', act);
  return created;
}

/** An element of the page's own HTML. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

function visible(text: string): string {
  return text === '\n' || text === '\t' ? text : escapeTerminal(text);
}
