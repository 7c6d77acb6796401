// Header fields as they came, name and value in turn: [name, value, name, value …] (node's rawHeaders).

export type Fields = readonly string[];

/** First value of a field, its name compared without case; undefined if there is none. */
export function fieldValue(fields: Fields, lowerName: string): string | undefined {
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i];
    if (name.length === lowerName.length && (name === lowerName || name.toLowerCase() === lowerName))
      return fields[i + 1];
  }
  return undefined;
}
