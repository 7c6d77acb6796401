// Holds HTTP header fields in their order on the wire.

/** Names and values in turn: [name, value, name, value …], like node's rawHeaders. */
export type Fields = readonly string[];

/** The first value of a field, whose name is compared without case; undefined if there is none. */
export function fieldValue(fields: Fields, lowerName: string): string | undefined {
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i];
    if (name.length === lowerName.length && (name === lowerName || isSameName(name, lowerName))) return fields[i + 1];
  }
  return undefined;
}

/** Collects the fields of one head after the other in one buffer, so that each result is one array of the right size. */
export class FieldGatherer {
  readonly #buffer: string[] = [];
  #count = 0;

  add(name: string, value: string): void {
    this.#buffer[this.#count++] = name;
    this.#buffer[this.#count++] = value;
  }

  /** Returns the fields that were added since the last call. */
  take(): Fields {
    const fields = this.#count === 0 ? NO_FIELDS : this.#buffer.slice(0, this.#count);
    if (this.#buffer.length > USUAL_LENGTH) this.#buffer.length = 0;
    this.#count = 0;
    return fields;
  }
}

/** Compares ASCII names without case and without making a lower-case copy: most names differ in the first character. */
function isSameName(name: string, lowerName: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if ((unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit) !== lowerName.charCodeAt(i)) return false;
  }
  return true;
}

export const NO_FIELDS: Fields = [];
/** Names and values of an ordinary head; a larger buffer is released. */
const USUAL_LENGTH = 256;
