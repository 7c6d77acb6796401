// Header fields as they came, name and value in turn: [name, value, name, value …] (node's rawHeaders).

export type Fields = readonly string[];

/** First value of a field, its name compared without case; undefined if there is none. */
export function fieldValue(fields: Fields, lowerName: string): string | undefined {
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i];
    if (name.length === lowerName.length && (name === lowerName || isSameName(name, lowerName))) return fields[i + 1];
  }
  return undefined;
}

/** Whether `name` is `lowerName`, in whatever case: field names are ASCII. Makes no text, most names differ at once. */
function isSameName(name: string, lowerName: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if ((unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit) !== lowerName.charCodeAt(i)) return false;
  }
  return true;
}
