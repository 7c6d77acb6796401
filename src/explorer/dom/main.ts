// Runs the page: connects the controls with the chart. It runs in the head, before the first row exists, so that rows are in their
// lanes from the first paint on; the controls come as soon as the view is inflated.

import { counted } from '../../core/quantity.js';
import { addressOf, readAddress } from '../address.js';
import { type ChartRow, EVENT, type Model, modelOf, traceOf } from '../model.js';
import { type Choice, type EntryVisibility, firstChoice, seenRows, type TimeRange } from '../visibility.js';
import { Chart } from './chart.js';
import { Data, readLanes, readView } from './data.js';
import { byId, textNode } from './element.js';
import { exportMenu } from './export-menu.js';
import { whileIdle } from './idle.js';
import { helpDialog, listenToKeys } from './keyboard.js';
import { LaneLayout } from './lanes.js';
import { Panel } from './panel.js';
import { StoryList } from './stories.js';
import { Strip } from './strip.js';
import { Toolbar } from './toolbar.js';

class Page {
  readonly #model: Model;
  readonly #choice: Choice;
  readonly #chart: Chart;
  readonly #toolbar: Toolbar;
  readonly #panel: Panel;
  readonly #strip: Strip;
  readonly #stories: StoryList;
  readonly #data = new Data();
  readonly #help = helpDialog();
  #seen: readonly EntryVisibility[] = [];
  /** The row with the keyboard focus. */
  #current: ChartRow | null = null;
  #opened: ChartRow | null = null;
  #search = '';
  /** The panel has the statistics, which change with what is shown. */
  #hasStatistics = false;
  /** The fragment that the page wrote last. */
  #address = '';
  /** Rows that are unfolded only because they were opened. */
  readonly #visited = new Set<ChartRow>();
  /** What the address named when the page was opened is shown. */
  #isStarted = false;

  constructor(model: Model, lanes: LaneLayout) {
    this.#model = model;
    this.#choice = firstChoice(model);
    this.#chart = new Chart(model, lanes);
    this.#stories = new StoryList(model, this.#choice, {
      open: (row) => this.#open(row),
      show: (story) => this.#tell('stories', story),
    });
    this.#toolbar = new Toolbar(
      model,
      this.#choice,
      {
        changed: () => this.#refresh(),
        search: (text) => this.#find(text),
        reset: () => this.#reset(),
        path: () => this.#openPath(),
        statistics: () => this.#openStatistics(),
        help: () => this.#help.showModal(),
        stories: this.#stories.isListed ? () => this.#stories.toggle() : null,
        zoom: (time) => this.#zoom(time),
        chapter: (seq) => this.#go(this.#model.rowOf(seq)),
      },
      exportMenu(model, this.#data, this.#chart),
    );
    this.#strip = new Strip(model, {
      zoom: (time) => this.#zoom(time),
      jump: (micros) => this.#jump(micros),
    });
    this.#panel = new Panel(model, this.#data, {
      open: (row) => this.#open(row),
      close: () => this.#close(),
      only: (participant) => this.#only(participant),
      story: (object) => this.#tell('objects', object),
      onlyNamespace: (namespace) => this.#onlyNamespace(namespace),
      openParticipant: (participant) => this.#openParticipant(participant),
      list: (title, rows) => this.#openPanel((panel) => panel.openRows(title, rows)),
      whyHidden: (row) => this.#whyHidden(row),
    });
    document.body.append(this.#help);
    this.#listen();
    this.#refresh();
    if (this.#model.view.path.length > 0 && innerWidth > WIDE) this.#openPath();
    this.#openAddress();
  }

  /** Makes and inflates what a reader may look for next: all rows, then the details of all messages. */
  async completeAll(): Promise<void> {
    await this.#chart.makeAll();
    const searchIndex = await this.#data.loadAll();
    void whileIdle(() => searchIndex.buildSome(SEARCH_STEP));
  }

  #refresh(): void {
    const anchor = this.#current;
    this.#seen = seenRows(this.#model, this.#choice);
    this.#chart.show(this.#seen, anchor);
    byId('nothing').hidden = this.#chart.shown.length > 0;
    this.#toolbar.refresh();
    this.#stories.refresh();
    this.#strip.show(this.#chart.shown, this.#choice.time);
    this.#showStatus();
    if (this.#hasStatistics) this.#panel.openStatistics(this.#chart.shown);
    this.#writeAddress();
    if (anchor !== null && this.#seen[anchor.index] === 'shown') this.#chart.scrollTo(anchor);
    else this.#setCurrent(null);
    this.#updateTabStop();
  }

  #showStatus(): void {
    let folded = 0;
    for (const one of this.#seen) if (one === 'folded') folded += 1;
    const { length } = this.#chart.shown;
    const { rows, view } = this.#model;
    const more = folded === 0 ? '' : `, ${folded} folded`;
    const cut = view.leftOut === 0 ? '' : `, ${view.leftOut} not in this page`;
    byId('status').textContent = `${length} of ${counted(rows.length + view.leftOut, 'message')}${more}${cut}`;
  }

  #zoom(time: TimeRange | null): void {
    this.#choice.time = time;
    this.#refresh();
  }

  #jump(micros: number): void {
    const { shown } = this.#chart;
    const row = shown.find((one) => one.micros >= micros) ?? shown[shown.length - 1];
    if (row !== undefined) this.#chart.scrollTo(row, 'center');
  }

  #find(text: string): void {
    this.#search = text;
    const { searchIndex } = this.#data;
    if (searchIndex === null) {
      byId('status').textContent = 'Reading the messages to find text in them …';
      this.#data.loadAll().then(() => this.#search === text && this.#find(text), showDamage);
      return;
    }
    // Another key may arrive before the search starts.
    requestAnimationFrame(() => {
      if (this.#search !== text) return;
      const isNothing = text.trim() === '';
      this.#choice.found = isNothing ? null : searchIndex.find(text, this.#model.rows);
      this.#refresh();
    });
  }

  #reset(): void {
    this.#clearChoice();
    this.#refresh();
  }

  /** The choice with which the page opened. */
  #clearChoice(): void {
    this.#setChoice(firstChoice(this.#model));
  }

  /** Without a text to look for. */
  #setChoice(fresh: Choice): void {
    const choice = this.#choice;
    for (const name of CHOSEN) {
      choice[name].clear();
      for (const value of fresh[name]) choice[name].add(value);
    }
    choice.revealed.clear();
    for (const row of fresh.revealed) choice.revealed.add(row);
    choice.problems = fresh.problems;
    choice.time = fresh.time;
    choice.found = null;
    this.#search = '';
    this.#toolbar.search.value = '';
  }

  #open(row: ChartRow): void {
    if (this.#seen[row.index] !== 'shown') this.#reveal(row);
    this.#opened = row;
    this.#hasStatistics = false;
    this.#panel.openMessage(row);
    this.#setCurrent(row);
    this.#chart.scrollTo(row);
    this.#writeAddress();
  }

  /** Shows a requested row, overriding the reader's filters if necessary. */
  #reveal(row: ChartRow): void {
    this.#choice.layers.add(row.layer);
    if (!this.#choice.revealed.has(row)) this.#visited.add(row);
    this.#choice.revealed.add(row);
    if (seenRows(this.#model, this.#choice)[row.index] !== 'shown') {
      const { layers, revealed } = this.#choice;
      const [kept, shown] = [[...layers], [...revealed]];
      this.#reset();
      for (const layer of kept) layers.add(layer);
      for (const one of shown) revealed.add(one);
    }
    this.#refresh();
  }

  /** Opens what is no message. */
  #openPanel(fill: (panel: Panel) => void, hasStatistics = false): void {
    this.#opened = null;
    this.#hasStatistics = hasStatistics;
    fill(this.#panel);
  }

  #openParticipant(participant: number): void {
    this.#openPanel((panel) => panel.openParticipant(participant));
  }

  #openPath(): void {
    this.#openPanel((panel) => panel.openPath());
  }

  #only(participant: number): void {
    this.#choice.participants.clear();
    this.#choice.participants.add(participant);
    this.#refresh();
  }

  #openStatistics(): void {
    this.#openPanel((panel) => panel.openStatistics(this.#chart.shown), true);
  }

  /** Everything about one object, or one story, in the layers that are shown; null: everything. */
  #tell(name: 'objects' | 'stories', value: number | null): void {
    const layers = [...this.#choice.layers];
    this.#clearChoice();
    for (const layer of layers) this.#choice.layers.add(layer);
    if (value !== null) this.#choice[name].add(value);
    this.#refresh();
    if (this.#current === null) byId('chart').scrollTop = 0;
  }

  #onlyNamespace(namespace: number): void {
    this.#choice.objects.clear();
    this.#choice.namespaces.clear();
    this.#choice.namespaces.add(namespace);
    this.#refresh();
  }

  #close(): void {
    this.#panel.close();
    this.#opened = null;
    this.#hasStatistics = false;
    this.#writeAddress();
    if (this.#current !== null)
      this.#chart.itemOf(this.#current).querySelector('button')?.focus({ preventScroll: true });
  }

  #setCurrent(row: ChartRow | null): void {
    this.#current = row;
    this.#highlight(row);
    this.#updateTabStop();
  }

  #highlight(row: ChartRow | null): void {
    this.#chart.highlight(row, row === null ? null : traceOf(this.#model, row));
  }

  /** Tab reaches one arrow; the arrow keys reach the others from there (roving tabindex). */
  #updateTabStop(): void {
    const next = this.#current ?? this.#chart.shown[0];
    document.querySelector('#rows button[tabindex="0"]')?.setAttribute('tabindex', '-1');
    if (next !== undefined) this.#chart.itemOf(next).querySelector('button')?.setAttribute('tabindex', '0');
  }

  #move(step: number): void {
    const { shown } = this.#chart;
    if (shown.length === 0) return;
    const at = this.#current === null ? -1 : shown.indexOf(this.#current);
    this.#go(shown[Math.max(0, Math.min(shown.length - 1, at < 0 && Math.abs(step) === 1 ? 0 : at + step))]);
  }

  #go(row: ChartRow | undefined): void {
    if (row === undefined) return;
    if (this.#seen[row.index] !== 'shown') this.#reveal(row);
    this.#setCurrent(row);
    this.#chart.itemOf(row).querySelector('button')?.focus({ preventScroll: true });
    this.#chart.scrollTo(row);
    if (this.#opened !== null) this.#open(row);
  }

  #unfoldBefore(row: ChartRow | null): void {
    if (row === null) return;
    for (const one of this.#chart.gaps.get(row)?.folded ?? []) this.#choice.revealed.add(one);
    this.#refresh();
  }

  #toggleFolds(): void {
    const { unfolded, revealed } = this.#choice;
    const { folds } = this.#model.view;
    const isUnfolded = unfolded.size === folds.length;
    unfolded.clear();
    revealed.clear();
    if (!isUnfolded) folds.forEach((_, i) => void unfolded.add(i));
    this.#refresh();
  }

  #escape(): void {
    if (this.#toolbar.closeMenus() || this.#stories.uncover()) return;
    if (this.#panel.isOpen) this.#close();
    else if (this.#search !== '') {
      this.#toolbar.search.value = '';
      this.#find('');
    } else this.#setCurrent(null);
  }

  #listen(): void {
    const rows = byId('rows');
    rows.addEventListener('click', ({ target }) => {
      const row = this.#rowAt(target);
      if (row === null || !(target instanceof HTMLElement)) return;
      const isFold = target.classList.contains('row') || target.dataset['more'] !== undefined;
      if (isFold) this.#unfoldBefore(row);
      else if (target.closest('button') !== null) this.#open(row);
    });
    rows.addEventListener('pointerover', ({ target }) => this.#highlight(this.#rowAt(target) ?? this.#current));
    rows.addEventListener('pointerleave', () => this.#highlight(this.#current));
    rows.addEventListener('focusin', ({ target }) => {
      const row = this.#rowAt(target);
      if (row !== null && row !== this.#current) this.#setCurrent(row);
    });
    byId('heads').addEventListener('click', ({ target }) => {
      const head = target instanceof Element ? target.closest('[data-p]') : null;
      if (head !== null) this.#openParticipant(Number(head.getAttribute('data-p')));
    });
    addEventListener('hashchange', () => this.#openAddress());
    listenToKeys({
      move: (step) => this.#move(step),
      open: () => this.#current !== null && this.#open(this.#current),
      toCause: () => this.#current !== null && this.#go(this.#model.rowOf(this.#current.causedBy)),
      toEffect: () => this.#current !== null && this.#go(this.#model.effectsOf(this.#current)[0]),
      toOtherHalf: () => this.#go(this.#otherHalf()),
      toStory: () => this.#current !== null && this.#current.about >= 0 && this.#tell('objects', this.#current.about),
      unfoldBefore: () => this.#unfoldBefore(this.#current),
      toggleFolds: () => this.#toggleFolds(),
      search: () => this.#toolbar.search.focus(),
      escape: () => this.#escape(),
      help: () => this.#help.showModal(),
    });
  }

  #otherHalf(): ChartRow | undefined {
    const current = this.#current;
    if (current === null) return undefined;
    return this.#model.exchangeOf(current).find((row) => row !== current && row.kind < EVENT);
  }

  #rowAt(target: EventTarget | null): ChartRow | null {
    const item = target instanceof Element ? target.closest('[data-seq]') : null;
    return item === null ? null : (this.#model.rowOf(Number(item.getAttribute('data-seq'))) ?? null);
  }

  #whyHidden(row: ChartRow): string {
    if (!this.#choice.layers.has(row.layer)) return `layer ${this.#model.view.layers[row.layer].name}`;
    const seen = this.#seen[row.index];
    return seen === 'shown' ? '' : seen;
  }

  /** The address names what is shown, so that it can be shared. */
  #writeAddress(): void {
    if (!this.#isStarted) return;
    const address = { opened: this.#opened?.seq ?? null, search: this.#search };
    // A blank is the address without a fragment.
    this.#address = addressOf(this.#model, this.#choice, address, this.#visited);
    history.replaceState(null, '', this.#address === '' ? ' ' : this.#address);
  }

  /** `#m980` opens message 980; a choice in the address replaces that of the reader. */
  #openAddress(): void {
    const { hash } = location;
    if (this.#isStarted && hash === this.#address) return;
    const choice = firstChoice(this.#model);
    const { opened, search, isChosen } = readAddress(hash, this.#model, choice);
    if (isChosen) this.#choose(choice, search);
    this.#isStarted = true;
    const row = opened === null ? undefined : this.#model.rowOf(opened);
    if (row === undefined || row === this.#opened) return;
    this.#open(row);
    this.#chart.scrollTo(row, 'center');
  }

  #choose(choice: Choice, search: string): void {
    this.#setChoice(choice);
    this.#refresh();
    if (search === '') return;
    this.#toolbar.search.value = search;
    this.#find(search);
  }
}

/** The rows of the page's HTML stay as they are. */
function showDamage(error: unknown): void {
  const text = `The data of this page cannot be read: the file is damaged or cut off (${String(error)}).`;
  byId('status').replaceChildren(textNode(text));
}

async function start(lanes: LaneLayout): Promise<void> {
  const model = modelOf(await readView());
  const page = new Page(model, lanes);
  const { dataset } = document.documentElement;
  dataset['ready'] = 'list';
  await page.completeAll();
  dataset['ready'] = 'all';
}

// Without it the page stays a list, and has a sentence about that.
if ('DecompressionStream' in globalThis) {
  const sheet = new CSSStyleSheet();
  const lanes = new LaneLayout(sheet);
  lanes.place(readLanes());
  document.adoptedStyleSheets = [sheet];
  document.documentElement.classList.add('js');
  document.addEventListener('DOMContentLoaded', () => {
    lanes.fit(byId('chart').clientWidth);
    start(lanes).catch(showDamage);
  });
}

const CHOSEN = [
  'layers',
  'unfolded',
  'stories',
  'participants',
  'verbs',
  'resources',
  'objects',
  'namespaces',
] as const;
/** px: a narrower page has no room for the chart and its details. */
const WIDE = 700;
/** Characters indexed between two reads of the clock. */
const SEARCH_STEP = 100_000;
