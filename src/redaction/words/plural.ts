// The resource of a kind, where nobody says it.

/** `databases` of `Database`, in lower case, as the API server guesses it (apimachinery, UnsafeGuessKindToResource). */
export function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (lower.endsWith('endpoints')) return lower;
  if (lower.endsWith('s') || lower.endsWith('x') || lower.endsWith('ch')) return `${lower}es`;
  return lower.endsWith('y') && !/[aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}
