// Shows the details of an opened message or participant: fields, causes and effects, Wireshark filters, head and body.

import { elapsedText } from '../../core/duration.js';
import { counted } from '../../core/quantity.js';
import { KINDS, type MessageLine } from '../../render/html/html-format.js';
import { curlCommand, kubectlCommand } from '../commands.js';
import { type ChartRow, type Model, traceOf, viewObjectText } from '../model.js';
import { whyProblem } from '../problems.js';
import { displayFilters, type FilterTarget } from '../wireshark.js';
import type { Data } from './data.js';
import { add, button, byId, element } from './element.js';
import { pathLists, statisticsTables } from './path-panel.js';

interface PanelActions {
  open(row: ChartRow): void;
  close(): void;
  /** Shows only the messages of a participant. */
  only(participant: number): void;
  openParticipant(participant: number): void;
  /** Lists messages. */
  list(title: string, rows: readonly ChartRow[]): void;
  /** Shows only the messages about an object, or in a namespace. */
  story(object: number): void;
  onlyNamespace(namespace: number): void;
  /** Why the row is hidden, in a word; empty if it is shown. */
  whyHidden(row: ChartRow): string;
}

export class Panel {
  readonly #model: Model;
  readonly #data: Data;
  readonly #actions: PanelActions;
  readonly #panel = byId('panel');
  /** The row whose details are shown, or will be once they are inflated. */
  #row: ChartRow | null = null;

  constructor(model: Model, data: Data, actions: PanelActions) {
    this.#model = model;
    this.#data = data;
    this.#actions = actions;
  }

  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  close(): void {
    this.#row = null;
    this.#panel.hidden = true;
  }

  openMessage(row: ChartRow): void {
    this.#row = row;
    const details = this.#data.detailsOf(row);
    if (details === null) {
      this.#fill(this.#labelOf(row), this.#kindOf(row), this.#ends(row), element('p', {}, 'Reading the details …'));
      const isStill = (): boolean => this.#row === row;
      this.#data.load(row).then(
        () => isStill() && this.openMessage(row),
        () => isStill() && add(this.#panel, element('p', { class: 'warning' }, DAMAGED)),
      );
      return;
    }
    const { message, body } = details;
    this.#fill(
      text(message['label']),
      this.#kindOf(row),
      this.#ends(row),
      this.#about(row),
      row.failed ? element('p', { class: 'warning' }, whyProblem(message)) : null,
      message['complete'] === false ? element('p', {}, INCOMPLETE) : null,
      fieldTable(FIELDS, message),
      this.#exchange(row),
      this.#trace(row, message),
      wireshark(message),
      headerTable(message.headers ?? []),
      bodySection(message, body),
      asCommand(message, body),
      everything(message),
    );
  }

  openParticipant(index: number): void {
    this.#row = null;
    const { name, component, evidence, box } = this.#model.view.participants[index];
    const own = this.#model.rows.filter((row) => row.from === index || row.to === index);
    const sent = own.filter((row) => row.from === index).length;
    this.#fill(
      name,
      'participant',
      definitions([
        ['Component', component],
        ['Part of', box ?? ''],
        ['Sends', counted(sent, 'message')],
        ['Receives', counted(own.length - sent, 'message')],
      ]),
      section('How it was recognised', list(evidence.map((how) => element('span', {}, how)))),
      element(
        'p',
        {},
        button('Show only its messages', () => this.#actions.only(index)),
      ),
    );
  }

  /** The steps of the critical paths that are marked. */
  openPath(): void {
    this.#row = null;
    this.#fill(
      'Where the time went',
      'critical path',
      element('p', {}, PATH_MEANING),
      ...pathLists(this.#model, this.#actions),
    );
  }

  /** Counts of what is shown. @param shown rows in order. */
  openStatistics(shown: readonly ChartRow[]): void {
    this.#row = null;
    this.#fill('Requests', 'statistics of what is shown', ...statisticsTables(this.#model, shown, this.#actions));
  }

  /** Messages that a number counts. */
  openRows(title: string, rows: readonly ChartRow[]): void {
    this.#row = null;
    const listed = rows.slice(0, MAX_LISTED);
    const more = listed.length < rows.length ? element('p', {}, `… and ${rows.length - listed.length} more`) : null;
    const items = listed.map((row) => this.#jump(row, false, false));
    this.#fill(title, counted(rows.length, 'message'), list(items), more);
  }

  #fill(title: string, kind: string, ...parts: readonly (Node | null)[]): void {
    const close = button('×', () => this.#actions.close(), { 'aria-label': 'Close details (Escape)', class: 'close' });
    this.#panel.replaceChildren(close, element('p', { class: 'kind' }, kind), element('h2', {}, title));
    add(this.#panel, ...parts);
    this.#panel.hidden = false;
    this.#panel.scrollTop = 0;
  }

  #kindOf(row: ChartRow): string {
    return `message ${row.seq} · ${KINDS[row.kind]} · ${this.#model.view.layers[row.layer]?.name ?? ''}`;
  }

  /** The text on its arrow. */
  #labelOf({ index }: ChartRow): string {
    return this.#model.view.labels[index];
  }

  #ends({ from, to }: ChartRow): HTMLElement {
    const one = (index: number): HTMLElement =>
      button(this.#model.view.participants[index].name, () => this.#actions.openParticipant(index), { class: 'who' });
    return element('p', { class: 'ends' }, one(from), ' → ', one(to));
  }

  #about({ about, namespace }: ChartRow): HTMLElement | null {
    if (about < 0) return null;
    const [, , , ...deleted] = this.#model.view.objects[about];
    const lines = deleted.map((words) => element('p', { class: 'about' }, `It is ${words}`));
    return element('div', {}, this.#nameOf(about, namespace), ...lines);
  }

  #nameOf(about: number, namespace: number): HTMLElement {
    const object = this.#model.view.objects[about];
    const created = element('p', { class: 'about' }, 'About ');
    if (object[2] === null) add(created, object[0]);
    else
      add(
        created,
        button(viewObjectText(object), () => this.#actions.story(about), { class: 'object' }),
      );
    if (namespace < 0) return created;
    const name = this.#model.namespaces[namespace];
    add(
      created,
      ' in ',
      button(name, () => this.#actions.onlyNamespace(namespace), { class: 'namespace' }),
    );
    return created;
  }

  #exchange(row: ChartRow): HTMLElement | null {
    const rows = this.#model.exchangeOf(row);
    if (rows.length < 2) return null;
    return section(`Exchange of ${counted(rows.length, 'message')}`, this.#rowList(rows, { here: row }));
  }

  #trace(row: ChartRow, message: MessageLine): HTMLElement {
    const { causes, effects, uncertain } = traceOf(this.#model, row);
    const wrap = element('div', { class: 'traces' });
    const before =
      causes.length > 0
        ? causesTitle(row)
        : `Cause: ${row.causedBy < 0 ? (this.#model.whyUncaused(row) ?? 'none found') : NOT_HERE}`;
    add(wrap, section(before, causes.length === 0 ? null : this.#rowList(causes, { uncertain }), 'cause'));
    const others = othersOf(message).flatMap((seq) => this.#model.rowOf(seq) ?? []);
    if (others.length > 0) add(wrap, section('Other possible causes', this.#rowList(others), 'cause'));
    const after = effects.length === 0 ? 'Led to: nothing found' : effectsTitle(effects, uncertain);
    add(wrap, section(after, effects.length === 0 ? null : this.#rowList(effects, { uncertain }), 'effect'));
    return wrap;
  }

  #rowList(rows: readonly ChartRow[], { here, uncertain }: RowMarks = {}): HTMLElement {
    // Of a watch's many events, those around the opened one.
    const near = here === undefined ? 0 : Math.max(0, rows.indexOf(here) - LISTED / 2);
    const first = rows.slice(near, near + LISTED);
    const more = rows.length <= LISTED ? [] : rows.slice(0, MAX_LISTED);
    const items = (some: readonly ChartRow[]): HTMLElement =>
      list(some.map((row) => this.#jump(row, row === here, uncertain?.has(row) === true)));
    if (more.length === 0) return items(first);
    const rest = element('details', {}, element('summary', {}, `all ${rows.length}`));
    rest.addEventListener(
      'toggle',
      () => {
        add(rest, items(more));
        if (more.length < rows.length) add(rest, element('p', {}, `… and ${rows.length - more.length} more`));
      },
      { once: true },
    );
    return element('div', {}, items(first), rest);
  }

  #jump(row: ChartRow, isHere: boolean, isUncertain: boolean): HTMLElement {
    const name = isUncertain ? 'jump perhaps' : 'jump';
    const item = button(`message ${row.seq} `, () => this.#actions.open(row), { class: name });
    if (isHere) item.setAttribute('aria-current', 'true');
    if (isUncertain) add(item, element('em', {}, 'perhaps'), ' ');
    add(item, this.#labelOf(row));
    const why = this.#actions.whyHidden(row);
    if (why !== '') add(item, element('small', {}, ` ${why}`));
    return item;
  }
}

function bodySection(message: MessageLine, body: unknown): HTMLElement | null {
  if (message.bodyLeftOut !== undefined) {
    const text = `Its ${message.bodyLeftOut} characters are over the limit of a page: kubeseq messages --bodies prints them.`;
    return section('Body', element('p', {}, text));
  }
  if (body === undefined) return null;
  const plain = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  const shown = element('pre', { tabindex: 0, 'aria-label': 'Body' });
  const head = plain.slice(0, MAX_SHOWN);
  shown.append(typeof body === 'string' ? element('code', {}, head) : jsonText(head));
  if (plain.length > MAX_SHOWN) add(shown, `\n… and ${plain.length - MAX_SHOWN} more characters, which Copy takes too`);
  return section('Body (redacted as everywhere)', element('div', { class: 'copied' }, shown, copyButton(plain)));
}

/** What a list of rows marks. */
interface RowMarks {
  readonly here?: ChartRow;
  readonly uncertain?: ReadonlySet<ChartRow>;
}

function causesTitle({ isProven }: ChartRow): string {
  return isProven ? 'Because of' : 'Perhaps because of';
}

function effectsTitle(effects: readonly ChartRow[], uncertain: ReadonlySet<ChartRow>): string {
  const { length } = effects.filter((row) => uncertain.has(row));
  const all = `${effects.length} message${effects.length === 1 ? '' : 's'}`;
  if (length === effects.length) return `Perhaps led to ${all}`;
  return length === 0 ? `Led to ${all}` : `Led to ${all}, ${length} of them perhaps`;
}

/** `seq` of messages that can be its cause as well. */
function othersOf(message: MessageLine): readonly number[] {
  return (message['cause'] as { readonly others?: readonly number[] } | undefined)?.others ?? [];
}

const DAMAGED = 'The details cannot be read: the file is damaged or cut off.';
const NOT_HERE = 'a message that is not in this page';

function wireshark(message: MessageLine): HTMLElement {
  const filters = displayFilters({
    connection: String(message['connection']),
    stream: typeof message['stream'] === 'number' ? message['stream'] : null,
    frames: message['frames'] as [number, number],
  });
  // The same message after address translation.
  for (const copy of (message['translated'] as FilterTarget[] | undefined) ?? []) {
    const [{ filter }] = displayFilters({ ...copy, stream: null });
    filters.push({ name: 'The same with other addresses', filter });
  }
  const capture = message['capture'] === undefined ? '' : ` in ${String(message['capture'])}`;
  const rows = filters.map(({ name, filter }) =>
    element(
      'div',
      { class: 'filter' },
      element('span', {}, name),
      element('code', {}, filter),
      copyButton(filter, `Copy the filter: ${name}`),
    ),
  );
  return section(`Wireshark${capture}`, element('div', {}, ...rows));
}

/** The request as commands that send it again. */
function asCommand(message: MessageLine, body: unknown): HTMLElement | null {
  const commands = [
    ['kubectl', kubectlCommand(message, body)],
    ['curl', curlCommand(message, body)],
  ] as const;
  const parts = commands.flatMap(([name, command]) =>
    command === null
      ? []
      : [
          element(
            'details',
            { class: 'command' },
            element('summary', {}, name),
            element(
              'div',
              { class: 'copied' },
              element('pre', { tabindex: 0 }, command),
              copyButton(command, `Copy as ${name}`),
            ),
          ),
        ],
  );
  return parts.length === 0 ? null : section('As a command', element('div', {}, ...parts));
}

function headerTable(headers: NonNullable<MessageLine['headers']>): HTMLElement | null {
  if (headers.length === 0) return null;
  const rows = headers.map(([name, value]) => [name, value] as const);
  return section('Head (redacted as everywhere)', definitions(rows));
}

function everything({ headers: _headers, bodyAt: _at, bodyLeftOut: _left, ...fields }: MessageLine): HTMLElement {
  const plain = JSON.stringify(fields, null, 2);
  return element(
    'details',
    {},
    element('summary', {}, 'All fields of the message'),
    element('div', { class: 'copied' }, element('pre', { tabindex: 0 }, jsonText(plain)), copyButton(plain)),
  );
}

function fieldTable(fields: readonly (readonly [string, (message: MessageLine) => string])[], message: MessageLine) {
  return definitions(fields.map(([name, value]) => [name, value(message)] as const));
}

/** A list of names and values, without empty values. */
function definitions(rows: readonly (readonly [name: string, value: string])[]): HTMLElement {
  const created = element('dl', {});
  for (const [name, value] of rows) {
    if (value === '') continue;
    add(created, element('dt', {}, name), element('dd', {}, value));
  }
  return created;
}

function section(title: string, content: Node | null, name?: string): HTMLElement {
  return element('section', { class: name }, element('h3', {}, title), content);
}

function list(items: readonly HTMLElement[]): HTMLElement {
  return element('ul', {}, ...items.map((item) => element('li', {}, item)));
}

function copyButton(text: string, label = 'Copy'): HTMLElement {
  const created = button(
    'Copy',
    () => {
      void copy(text).then((isDone) => {
        created.textContent = isDone ? 'Copied' : 'Not allowed here';
      });
    },
    { class: 'copy', 'aria-label': label },
  );
  return created;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const PATH_MEANING =
  'Each step is the time before its message. They follow each other without a gap; what is not among them did not hold anything up, as far as the capture tells.';
const INCOMPLETE = 'Incomplete: bytes or header fields are missing, or the capture ends inside it.';
const FIELDS: readonly (readonly [string, (message: MessageLine) => string])[] = [
  ['Time', (message) => text(message['time'])],
  ['Began', (message) => text(message['started'])],
  [
    'Answered after',
    (message) => (message['latencyMs'] === undefined ? '' : elapsedText(Number(message['latencyMs']) * 1e6)),
  ],
  ['Object', (message) => versionText(message['object'])],
  ['Verb', (message) => text(message['verb'])],
  ['User', (message) => userText(message)],
  ['User agent', (message) => text(message['userAgent'])],
  ['Connection', (message) => text(message['connection'])],
  ['HTTP/2 stream', (message) => text(message['stream'])],
  ['Frames', (message) => framesText(message['frames'])],
  ['By way of', (message) => (message['via'] as string[] | undefined)?.join(', ') ?? ''],
  ['Audit ID', (message) => text(message['auditId'])],
  ['Concluded, not read', (message) => (message['inferred'] as string[] | undefined)?.join(', ') ?? ''],
];

function userText({ user, userFrom }: MessageLine): string {
  return user === undefined ? '' : `${text(user)} (by ${text(userFrom)})`;
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

function framesText(frames: unknown): string {
  const [first, last] = frames as [number, number];
  return first === last ? String(first) : `${first} to ${last}`;
}

function versionText(value: unknown): string {
  const object = value as Record<string, unknown> | undefined;
  if (object === undefined) return '';
  const name = [object['namespace'], object['name']].filter((part) => text(part) !== '').join('/');
  const version = text(object['resourceVersion']) === '' ? '' : `, resourceVersion ${text(object['resourceVersion'])}`;
  const items = object['items'] === undefined ? '' : `, ${text(object['items'])} items`;
  return `${text(object['kind'])}${name === '' ? '' : ` ${name}`}${items}${version}`;
}

/** Limit: characters of a body that a page lays out; Copy takes all. */
const MAX_SHOWN = 100_000;
/** Rows that a list shows at first. */
const LISTED = 4;
/** Limit: rows that an expanded list of a page's details shows; a watch has thousands of events. */
const MAX_LISTED = 500;

/** Colours names, texts and values. @param json as JSON.stringify indents it, perhaps cut. */
function jsonText(json: string): HTMLElement {
  const code = element('code', { class: 'json' });
  let at = 0;
  for (const match of json.matchAll(TOKEN)) {
    if (match.index > at) add(code, json.slice(at, match.index));
    const [token, , colon] = match;
    const name = colon !== undefined ? 'name' : token.startsWith('"') ? 'text' : 'value';
    code.append(element('span', { class: name }, token));
    at = match.index + token.length;
  }
  add(code, json.slice(at));
  return code;
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;
