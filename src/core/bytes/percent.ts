// Decodes percent-encoded text.

/** Decodes a name or value of a query, where a plus is a space; what is encoded wrongly stays as it is. */
export function queryDecoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  return percentDecoded(text.replaceAll('+', ' ')) ?? text;
}

/** @returns null where an escape is broken, or the escapes are no UTF-8. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
