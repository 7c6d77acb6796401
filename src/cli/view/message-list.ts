// Keeps which messages the list of `view` has, in which order and folding, and where its cursor stands.

import type { ExplorerEntry, Message } from '../../index.js';

/** An object whose story is listed. */
export interface ViewedObject {
  readonly resource: string;
  /** null: cluster-scoped. */
  readonly namespace: string | null;
  readonly name: string;
}

/** Leaves only some messages in the list. */
export interface ListFilter {
  /** In the head line. */
  readonly words: string;
  readonly chosen: ReadonlySet<Message>;
}

/** To come back to. */
export interface ListPlace {
  readonly filters: readonly ListFilter[];
  readonly isWhole: boolean;
  readonly seq: number;
}

/** A line of the list. */
export interface ListRow {
  readonly entry: ExplorerEntry;
  /** Further messages of its exchange that stand in this line. */
  readonly folded: readonly Message[];
}

export class MessageList {
  readonly #entries: readonly ExplorerEntry[];
  readonly #isDrawn: (entry: ExplorerEntry) => boolean;
  #filters: readonly ListFilter[] = [];
  /** Exchanges that are folded, or, where all are, those that are not. */
  readonly #exceptions = new Set<number>();
  #isFolding = false;
  #isWhole = false;
  #rows: readonly ListRow[] = [];
  #count = 0;
  #cursor = 0;

  /** @param isDrawn by a diagram: listed from the beginning. */
  constructor(entries: readonly ExplorerEntry[], isDrawn: (entry: ExplorerEntry) => boolean) {
    this.#entries = entries;
    this.#isDrawn = isDrawn;
    // A list without a line would hide that there are messages.
    this.#isWhole = !entries.some(isDrawn);
    this.#list();
  }

  get rows(): readonly ListRow[] {
    return this.#rows;
  }

  get filters(): readonly ListFilter[] {
    return this.#filters;
  }

  /** Messages that diagrams fold away are listed, too. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Index of the row with the cursor. */
  get cursor(): number {
    return this.#cursor;
  }

  /** undefined: the list is empty. */
  get current(): ListRow | undefined {
    return this.#rows[this.#cursor];
  }

  /** Messages in the list, those within folded lines included. */
  get messages(): ReadonlySet<Message> {
    return new Set(this.#rows.flatMap(({ entry, folded }) => [entry.message, ...folded]));
  }

  /** Number of messages in the list. */
  get count(): number {
    return this.#count;
  }

  /** Some lines stand for several messages. */
  get hasFolded(): boolean {
    return this.#count > this.#rows.length;
  }

  /** Number of all messages. */
  get total(): number {
    return this.#entries.length;
  }

  /** @param row is taken into the list. */
  moveTo(row: number): void {
    this.#cursor = Math.max(0, Math.min(row, this.#rows.length - 1));
  }

  toggleWhole(): void {
    this.#isWhole = !this.#isWhole;
    this.#list();
  }

  /** Folds the exchange of the current line into one line, or unfolds it. */
  toggleExchange(): void {
    const exchange = this.current?.entry.message.exchange;
    if (exchange === undefined) return;
    if (!this.#exceptions.delete(exchange)) this.#exceptions.add(exchange);
    this.#list();
  }

  toggleAllExchanges(): void {
    this.#isFolding = !this.#isFolding;
    this.#exceptions.clear();
    this.#list();
  }

  addFilter(filter: ListFilter): void {
    this.#filters = [...this.#filters, filter];
    this.#list();
  }

  /** @returns false: there is none. */
  removeFilter(): boolean {
    if (this.#filters.length === 0) return false;
    this.#filters = this.#filters.slice(0, -1);
    this.#list();
    return true;
  }

  /** Lists one choice alone. */
  show(filter: ListFilter, isWhole: boolean): void {
    this.#filters = [filter];
    this.#isWhole = isWhole;
    this.#list();
  }

  /** What is listed and where the cursor stands. */
  get place(): ListPlace {
    return { filters: this.#filters, isWhole: this.#isWhole, seq: this.current?.entry.message.seq ?? 0 };
  }

  returnTo({ filters, isWhole, seq }: ListPlace): void {
    this.#filters = filters;
    this.#isWhole = isWhole;
    this.reveal(seq);
  }

  /** Moves to a message; filters and foldings that hide it go. @returns false: there is no such message. */
  reveal(seq: number): boolean {
    const entry = this.#entries.find(({ message }) => message.seq === seq);
    if (entry === undefined) return false;
    this.#unfold(entry.message.exchange);
    if (!this.#isDrawn(entry)) this.#isWhole = true;
    if (this.#filters.some(({ chosen }) => !chosen.has(entry.message))) this.#filters = [];
    this.#list();
    this.moveTo(this.#rows.findIndex((row) => row.entry === entry));
    return true;
  }

  #unfold(exchange: number): void {
    if (this.#isFolding) this.#exceptions.add(exchange);
    else this.#exceptions.delete(exchange);
  }

  #isFolded(exchange: number): boolean {
    return this.#isFolding !== this.#exceptions.has(exchange);
  }

  /** The cursor stays on its message, or goes to the next that is there. */
  #list(): void {
    const seq = this.current?.entry.message.seq ?? 0;
    const lines = new Map<number, Message[]>();
    const rows: ListRow[] = [];
    let count = 0;
    for (const entry of this.#entries) {
      const { message } = entry;
      if (!this.#isWhole && !this.#isDrawn(entry)) continue;
      if (this.#filters.some(({ chosen }) => !chosen.has(message))) continue;
      count += 1;
      const line = lines.get(message.exchange);
      if (line !== undefined) {
        line.push(message);
        continue;
      }
      const folded: Message[] = [];
      if (this.#isFolded(message.exchange)) lines.set(message.exchange, folded);
      rows.push({ entry, folded });
    }
    this.#rows = rows;
    this.#count = count;
    const found = rows.findIndex(
      ({ entry, folded }) => entry.message.seq >= seq || folded.some((message) => message.seq === seq),
    );
    this.moveTo(found === -1 ? rows.length - 1 : found);
  }
}
