// The state of `view`: takes keys and gives the rows of the screen.

import {
  counted,
  cutToCells,
  type ExplorerEntry,
  escapeTerminal,
  hasFailed,
  type Message,
  objectText,
  shortWords,
  wrapToCells,
} from '../../index.js';
import { KEYS, type PressedKey } from './keys.js';
import { ListColumns, type Look, type ScreenRow } from './list-rows.js';
import { type ListPlace, MessageList } from './message-list.js';
import { Prompt } from './prompt.js';
import { TextPanel } from './text-panel.js';
import type { ViewData } from './view-data.js';

export interface ViewScreen {
  readonly rows: readonly ScreenRow[];
  /** Column of the text cursor in the last row; null: none is shown. */
  readonly caret: number | null;
}

/** Finds the messages that a filter of the user leaves. @returns a sentence where it is wrong. */
export type FilterReader = (text: string) => ReadonlySet<Message> | string;

export class Viewer {
  readonly #data: ViewData;
  readonly #filterOf: FilterReader;
  readonly #list: MessageList;
  #panel: TextPanel | null = null;
  /** The message of the panel; null: it is about no single one. */
  #detailed: number | null = null;
  #prompt: Prompt | null = null;
  #searched = '';
  #status = '';
  /** First row of the list that is seen. */
  #top = 0;
  /** Rows for the list or the panel in the last drawing. */
  #room = 1;
  /** Where c, e and o were pressed. */
  readonly #back: ListPlace[] = [];
  #hasFullLabels = false;
  isOver = false;

  constructor(data: ViewData, filterOf: FilterReader) {
    this.#data = data;
    this.#filterOf = filterOf;
    this.#list = new MessageList(data.entries, (entry) => data.isDrawn(entry));
  }

  press(key: PressedKey): void {
    this.#status = '';
    if (this.#prompt !== null) {
      if (this.#prompt.press(key)) this.#prompt = null;
    } else if (key.name === 'ctrl-c') this.isOver = true;
    else
      (this.#panel === null ? this.#ofList(key.name) : this.#ofPanel(key.name, this.#panel)) || this.#ofBoth(key.name);
  }

  screen(height: number, width: number): ViewScreen {
    const rows = this.#panel === null ? this.#listRows(height, width) : this.#panelRows(this.#panel, height, width);
    const [before, behind] = this.#prompt?.parts ?? ['', ''];
    const question = `${this.#prompt?.question ?? ''}${before}`;
    const mistake = this.#prompt?.mistake ?? '';
    const last =
      this.#prompt === null
        ? this.#status || (this.#panel === null ? LIST_HINT : PANEL_HINT)
        : `${question}${behind}${mistake === '' ? '' : `   ${escapeTerminal(mistake)}`}`;
    const look: Look = this.#prompt === null && this.#status === '' ? 'dim' : mistake === '' ? 'plain' : 'bad';
    return {
      rows: [...rows, { text: cutToCells(last, width), look }],
      caret: this.#prompt === null ? null : Math.min(question.length, width - 1),
    };
  }

  /** @returns false: the key means nothing there. */
  #ofList(key: string): boolean {
    const list = this.#list;
    const step = STEPS.get(key)?.(this.#room);
    if (step !== undefined) list.moveTo(list.cursor + step);
    else if (key === 'enter') this.#openDetails();
    else if (key === 'f') this.#askFilter();
    else if (key === 'o') this.#filterByObject();
    else if (key === 'x') list.toggleExchange();
    else if (key === 'X') list.toggleAllExchanges();
    else if (key === 'a') this.#toggleWhole();
    else if (key === 'l') this.#hasFullLabels = !this.#hasFullLabels;
    else if (key === 'd') this.#openDiagram();
    else if (key === 'escape') list.removeFilter();
    else if (key === 'q') this.isOver = true;
    else return false;
    return true;
  }

  #ofPanel(key: string, panel: TextPanel): boolean {
    const step = key === 'enter' ? 1 : STEPS.get(key)?.(this.#room);
    if (step !== undefined) panel.scroll(step);
    else if (key === 'escape' || key === 'q' || key === 'left') this.#panel = null;
    else return false;
    return true;
  }

  #ofBoth(key: string): void {
    if (key === '/') this.#prompt = new Prompt('/', '', (text) => this.#search(text));
    else if (key === 'n') this.#status = this.#search(this.#searched) ?? '';
    else if (key === 'N') this.#status = this.#search(this.#searched, true) ?? '';
    else if (key === 'c') this.#toCause();
    else if (key === 'e') this.#toEffects();
    else if (key === 'backspace') this.#goBack();
    else if (key === '!') this.#open(new TextPanel('what could not be read', () => this.#data.unreadLines()));
    else if (key === '?' || key === 'h' || key === 'f1') this.#open(new TextPanel('keys', helpLines));
  }

  #open(panel: TextPanel, detailed: number | null = null): void {
    this.#panel = panel;
    this.#detailed = detailed;
  }

  #openDetails(): void {
    const entry = this.#list.current?.entry;
    if (entry === undefined) return;
    const title = `message ${entry.message.seq}, ${this.#data.placeOf(entry.message)}`;
    this.#open(new TextPanel(title, () => this.#data.detailsOf(entry)), entry.message.seq);
  }

  #openDiagram(): void {
    const chosen = this.#list.messages;
    const { isWhole } = this.#list;
    const title = `diagram of ${counted(chosen.size, 'message')}${isWhole ? '' : ', as diagrams fold them'}`;
    this.#open(
      new TextPanel(title, (width) =>
        this.#data.diagramOf(chosen, { isWhole, hasFullLabels: this.#hasFullLabels, width }),
      ),
    );
  }

  #askFilter(): void {
    this.#prompt = new Prompt('filter: ', '', (text) => {
      if (text === '') return null;
      const chosen = this.#filterOf(text);
      if (typeof chosen === 'string') return chosen;
      if (chosen.size === 0) return 'no message matches';
      this.#list.addFilter({ words: escapeTerminal(text), chosen });
      return null;
    });
  }

  #filterByObject(): void {
    const about = this.#list.current?.entry.about ?? null;
    if (about?.name == null) {
      this.#status =
        about === null ? 'this message is about no object' : `it is about ${about.resource}, not one of them`;
      return;
    }
    const words = escapeTerminal(objectText(about.resource, about.namespace, about.name));
    this.#remember();
    const filter = { words, chosen: this.#data.about({ ...about, name: about.name }) };
    this.#list.show(filter, this.#list.isWhole);
    // Diagrams fold all of it away.
    if (this.#list.rows.length === 0) this.#list.show(filter, true);
  }

  #toggleWhole(): void {
    this.#list.toggleWhole();
    this.#status = this.#list.isWhole ? 'all messages' : 'what diagrams draw';
  }

  /** @returns what is wrong, or null. */
  #search(text: string, isBackwards = false): string | null {
    if (text === '') return this.#searched === '' ? 'nothing was searched for yet: /' : null;
    this.#searched = text;
    if (this.#panel !== null) return this.#panel.search(text) ? null : `not found: ${text}`;
    const { rows, cursor } = this.#list;
    const wanted = text.toLowerCase();
    for (let i = 1; i <= rows.length; i++) {
      const at = (cursor + (isBackwards ? -i : i) + rows.length) % rows.length;
      const { entry, folded } = rows[at] as (typeof rows)[number];
      const texts = [this.#textOf(entry), ...folded.map((message) => labelsOf(message))];
      if (!texts.some((one) => one.includes(wanted))) continue;
      this.#list.moveTo(at);
      return null;
    }
    return `not found: ${text}`;
  }

  #textOf({ message, from, to }: ExplorerEntry): string {
    const { names } = this.#data;
    return `${message.seq} ${names[from]} ${names[to]} ${labelsOf(message)}`.toLowerCase();
  }

  #toCause(): void {
    const message = this.#list.current?.entry.message;
    if (message === undefined) return;
    if (message.causedBy === undefined) this.#status = 'no cause was found: Enter says why';
    else this.#go(message.causedBy);
  }

  #toEffects(): void {
    const seq = this.#list.current?.entry.message.seq;
    const effects = this.#data.entries.map(({ message }) => message).filter(({ causedBy }) => causedBy === seq);
    const [first, ...others] = effects;
    if (first === undefined) this.#status = 'no effect was found';
    else if (others.length === 0) this.#go(first.seq);
    else {
      this.#remember();
      this.#panel = null;
      // What diagrams fold away would be missing.
      this.#list.show({ words: `effects of message ${seq}`, chosen: new Set(effects) }, true);
      this.#list.moveTo(0);
    }
  }

  #go(seq: number): void {
    this.#remember();
    const hadDetails = this.#detailed !== null && this.#panel !== null;
    if (!this.#list.reveal(seq)) this.#status = `message ${seq} is not here: the selection left it out`;
    else if (hadDetails) this.#openDetails();
  }

  #remember(): void {
    this.#back.push(this.#list.place);
    if (this.#back.length > MAX_BACK) this.#back.shift();
  }

  #goBack(): void {
    const last = this.#back.pop();
    if (last === undefined) {
      this.#status = 'nothing to go back to';
      return;
    }
    this.#list.returnTo(last);
    if (this.#detailed !== null && this.#panel !== null) this.#openDetails();
  }

  #listRows(height: number, width: number): readonly ScreenRow[] {
    const list = this.#list;
    this.#room = Math.max(1, height - 3);
    const { cursor, rows } = list;
    this.#top = Math.max(0, Math.min(this.#top, cursor, rows.length - this.#room));
    if (cursor >= this.#top + this.#room) this.#top = cursor - this.#room + 1;
    const columns = new ListColumns(width);
    const current = list.current?.entry.message;
    const { names, options } = this.#data;
    const seen = rows.slice(this.#top, this.#top + this.#room).map((row, i): ScreenRow => {
      const { entry, folded } = row;
      const isDrawn = this.#data.isDrawn(entry);
      const facts = { first: options.first, names, hasFullLabels: this.#hasFullLabels };
      const isBad = entry.isProblem || [entry.message, ...folded].some(hasFailed);
      const text = columns.row(row, markOf(entry.message, current), facts);
      if (this.#top + i === cursor) return { text: text.padEnd(width), look: isBad ? 'chosen-bad' : 'chosen' };
      return { text, look: isBad ? 'bad' : isDrawn ? 'plain' : 'dim' };
    });
    const empty = Array.from({ length: this.#room - seen.length }, (): ScreenRow => ({ text: '', look: 'plain' }));
    return [
      { text: cutToCells(this.#headText(), width), look: 'head' },
      { text: columns.head, look: 'dim' },
      ...seen,
      ...empty,
    ];
  }

  #headText(): string {
    const { isWhole, filters, count, total, hasFolded } = this.#list;
    const { title, notices } = this.#data.options;
    const parts = [
      `kubeseq  ${cutToCells(title, MAX_TITLE)}`,
      `${count} of ${counted(total, 'message')}${isWhole ? '' : ', as diagrams draw'}`,
      ...(hasFolded ? ['exchanges folded'] : []),
      ...filters.map(({ words }) => `[${words}]`),
      ...(notices.length === 0 ? [] : [`${counted(notices.length, 'notice')}: !`]),
    ];
    return parts.join('   ');
  }

  #panelRows(panel: TextPanel, height: number, width: number): readonly ScreenRow[] {
    this.#room = Math.max(1, height - 2);
    const lines = panel.linesFor(this.#room, width);
    const rows = Array.from({ length: this.#room }, (_, i): ScreenRow => ({ text: lines[i] ?? '', look: 'plain' }));
    const head = [panel.title, panel.place(this.#room)].filter((part) => part !== '').join('   ');
    return [{ text: cutToCells(head, width), look: 'head' }, ...rows];
  }
}

/** How a message belongs to the one with the cursor. */
function markOf(message: Message, current: Message | undefined): string {
  if (current === undefined || message === current) return ' ';
  if (message.seq === current.causedBy) return '<';
  if (message.causedBy === current.seq) return '>';
  return message.exchange === current.exchange ? '|' : ' ';
}

/** In small letters. */
function labelsOf(message: Message): string {
  return `${shortWords(message)} ${message.label}`.toLowerCase();
}

/** PressedKey → lines down. @param page rows of the screen. */
const STEPS: ReadonlyMap<string, (page: number) => number> = new Map<string, (page: number) => number>([
  ...['down', 'j'].map((key) => [key, () => 1] as const),
  ...['up', 'k'].map((key) => [key, () => -1] as const),
  ...['pagedown', 'space', 'ctrl-f'].map((key) => [key, (page: number) => page] as const),
  ...['pageup', 'b', 'ctrl-b'].map((key) => [key, (page: number) => -page] as const),
  ...['home', 'g'].map((key) => [key, () => -FAR] as const),
  ...['end', 'G'].map((key) => [key, () => FAR] as const),
]);
const LIST_HINT = 'Enter details  / search  f filter  o object  c cause  e effects  d diagram  a all  ? help  q quit';
const PANEL_HINT = 'Esc back  / search  c cause  e effects  Backspace where it came from  ? help';
/** @param width cells. */
function helpLines(width: number): readonly string[] {
  const keys = KEYS.flatMap(([names, meaning]) => {
    const [first = '', ...others] = wrapToCells(meaning, Math.max(20, width - HELP_KEYS - 2));
    return [`${names.padEnd(HELP_KEYS)}  ${first}`, ...others.map((line) => `${' '.repeat(HELP_KEYS)}  ${line}`)];
  });
  return [
    ...keys,
    '',
    'Beside the messages: < caused the one with the cursor, > is caused by it, | belongs to its exchange.',
    'Red: a failure. Dim: diagrams fold it away.',
  ];
}

/** Cells of the column of keys. */
const HELP_KEYS = 20;
/** Limit: cells of the names of captures in the head line, which has the counts and the filter beside them. */
const MAX_TITLE = 40;
/** Lines: beyond every text. */
const FAR = 1e9;
/** Limit: places that Backspace in `view` goes back to. */
const MAX_BACK = 100;
