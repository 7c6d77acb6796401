// Inflates the packed data blocks of the page, each part when it is needed, and keeps it.

import { byId } from './element.js';

/** JSON lines that are packed in parts. */
export class PackedLines {
  /** Base64 of each part; empty once it is inflated. */
  readonly #packed: string[];
  /** Index of the first line of each part. */
  readonly #from: readonly number[];
  readonly #parts: (readonly string[] | undefined)[];
  readonly #pending = new Map<number, Promise<readonly string[]>>();

  constructor(id: string) {
    const block = byId(id);
    const from = block.dataset['from'] ?? '';
    this.#from = from === '' ? [] : from.split(' ').map(Number);
    this.#packed = this.#from.length === 0 ? [] : (block.textContent ?? '').split('\n');
    if (this.#packed.length !== this.#from.length) throw new Error(`#${id} is cut off`);
    this.#parts = new Array<undefined>(this.#from.length).fill(undefined);
  }

  get parts(): number {
    return this.#from.length;
  }

  /** undefined if its part is not inflated yet. */
  line(index: number): string | undefined {
    const at = this.#partOf(index);
    return this.#parts[at]?.[index - this.#from[at]];
  }

  async load(index: number): Promise<string> {
    const at = this.#partOf(index);
    return (await this.part(at))[index - this.#from[at]];
  }

  /** The lines of a part. */
  part(at: number): Promise<readonly string[]> {
    const done = this.#parts[at];
    if (done !== undefined) return Promise.resolve(done);
    let pending = this.#pending.get(at);
    if (pending === undefined) {
      pending = inflate(this.#packed[at]).then((json) => {
        const lines = json.split('\n');
        this.#parts[at] = lines;
        this.#packed[at] = '';
        this.#pending.delete(at);
        return lines;
      });
      this.#pending.set(at, pending);
    }
    return pending;
  }

  /** All lines, if all parts are inflated. */
  get lines(): readonly string[] {
    return this.#parts.flatMap((part) => part ?? []);
  }

  #partOf(index: number): number {
    let at = this.#from.length - 1;
    while (at > 0 && this.#from[at] > index) at -= 1;
    return at;
  }
}

async function inflate(base64: string): Promise<string> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
}
