// Makes elements. The only way by which text of a capture comes into the document while the page is used: as a text node,
// with what would hide or turn it round made visible.

import { escapeTerminal } from '../../render/escape/terminal-escape.js';

type Child = Node | string | null | undefined;

/** @param attributes of our own words; captured text may stand in `title` and `aria-label` only. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number | true | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    made.setAttribute(key, value === true ? '' : escapeTerminal(String(value)));
  }
  add(made, ...children);
  return made;
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

export function button(text: string, act: () => void, attributes: Readonly<Record<string, string>> = {}): HTMLElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}

/** An element that the page was made with. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

function visible(text: string): string {
  return text === '\n' || text === '\t' ? text : escapeTerminal(text);
}
