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

/** Where fields are gathered, one head after the other: one array of the right size is made of each. */
export class FieldGatherer {
  readonly #room: string[] = [];
  #count = 0;

  add(name: string, value: string): void {
    this.#room[this.#count++] = name;
    this.#room[this.#count++] = value;
  }

  /** What was added since the last time. */
  take(): Fields {
    const fields = this.#count === 0 ? NO_FIELDS : this.#room.slice(0, this.#count);
    if (this.#room.length > USUAL_LENGTH) this.#room.length = 0;
    this.#count = 0;
    return fields;
  }
}

/** Whether `name` is `lowerName`, in whatever case: field names are ASCII. Makes no text, most names differ at once. */
function isSameName(name: string, lowerName: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if ((unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit) !== lowerName.charCodeAt(i)) return false;
  }
  return true;
}

export const NO_FIELDS: Fields = [];
/** Names and values of a head; of more, the room is given back. */
const USUAL_LENGTH = 256;
