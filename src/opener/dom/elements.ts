// Finds and makes elements of the page; text becomes text nodes alone.

/** @throws Error if the page has no such element. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`no ${id}`);
  return found;
}

/** An element with text in it. */
export function made<Name extends keyof HTMLElementTagNameMap>(name: Name, text: string): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

/** Lets the reader save a file that is in memory. */
export function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  // The browser reads it after this turn, so it is given up with the next one.
  URL.revokeObjectURL(savedUrl);
  savedUrl = URL.createObjectURL(blob);
  link.href = savedUrl;
  link.download = name;
  link.click();
}

let savedUrl = '';
