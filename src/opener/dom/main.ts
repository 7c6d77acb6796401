// The page: takes files, shows how far they are read, and then their views.

import { counted, sizeText } from '../../core/quantity.js';
import type { CaptureView, ChosenFile, ExplorerPart, FromWorker, WantedView } from '../protocol.js';
import { byId, made, save } from './elements.js';
import { WorkerLink } from './worker-link.js';

const start = byId('start', HTMLElement);
const reading = byId('reading', HTMLElement);
const result = byId('result', HTMLElement);
const failure = byId('failure', HTMLElement);
const chooser = byId('chooser', HTMLInputElement);
const bar = byId('bar', HTMLProgressElement);
const progress = byId('progress', HTMLElement);
const remarks = byId('remarks', HTMLElement);
const follow = byId('follow', HTMLInputElement);
const namespace = byId('namespace', HTMLInputElement);
const withPath = byId('with-path', HTMLInputElement);
const frame = byId('frame', HTMLIFrameElement);
const texts = {
  mermaid: byId('mermaid', HTMLElement),
  summary: byId('summary', HTMLElement),
  path: byId('path', HTMLElement),
};

/** What is open. */
let opened: Extract<FromWorker, { kind: 'found' }> | null = null;
let view: CaptureView | null = null;
let pageUrl = '';
/** The name of what was opened, for files that are saved. */
let baseName = 'kubeseq';

const worker = new WorkerLink(textOf('worker'), (message) => answer(message));
const explorerParts = { script: partOf('explorer-script'), style: partOf('explorer-style') };

function answer(message: FromWorker): void {
  switch (message.kind) {
    case 'progress':
      showProgress(message);
      break;
    case 'found':
      showFound(message);
      break;
    case 'view':
      showView(message.view);
      break;
    case 'messages':
      save(`${baseName}.ndjson`, message.lines);
      break;
    case 'failed':
      failure.textContent = message.text;
      failure.hidden = false;
      show(opened === null ? start : result);
  }
}

function open(files: readonly ChosenFile[]): void {
  if (files.length === 0) return;
  // A view of what was open would come while these are read.
  worker.endAll();
  opened = null;
  failure.hidden = true;
  follow.value = '';
  namespace.value = '';
  withPath.checked = false;
  baseName = files[0].name.replace(/\.(?:pcap|pcapng|gz|parquet|ndjson|jsonl|log)\b.*$/i, '') || 'kubeseq';
  bar.value = 0;
  progress.textContent = `Reading ${files.map(({ name }) => name).join(', ')} …`;
  show(reading);
  worker.start({ kind: 'open', files });
}

function close(): void {
  worker.endAll();
  opened = null;
  show(start);
}

function showProgress({ read, total, messages }: Extract<FromWorker, { kind: 'progress' }>): void {
  bar.value = total === 0 ? 0 : Math.min(1, read / total);
  progress.textContent = `${sizeText(read)} of ${sizeText(total)} read, ${counted(messages, 'message')}`;
}

function showFound(message: Extract<FromWorker, { kind: 'found' }>): void {
  opened = message;
  const { found } = message;
  byId('title', HTMLElement).textContent = found.title;
  texts.summary.textContent = found.summary;
  const names = found.objects.slice(0, OFFERED);
  byId('objects', HTMLElement).replaceChildren(...[...new Set(names.map(({ name }) => name))].map(optionOf));
  byId('namespaces', HTMLElement).replaceChildren(
    ...[...new Set(found.objects.map((one) => one.namespace))].filter((one) => one !== '').map(optionOf),
  );
  progress.textContent = 'Drawing …';
  ask();
}

function showView(drawn: CaptureView): void {
  view = drawn;
  failure.hidden = true;
  if (pageUrl !== '') URL.revokeObjectURL(pageUrl);
  pageUrl = URL.createObjectURL(drawn.html);
  frame.src = pageUrl;
  texts.mermaid.textContent = drawn.mermaid;
  texts.path.textContent = drawn.path || 'Follow an object and tick “Where its time went”.';
  const lines = [...(opened?.found.remarks ?? []), ...drawn.remarks];
  if (opened?.found.messages === 0) lines.unshift('There are no messages in these files.');
  remarks.replaceChildren(...lines.map((line) => made('p', line)));
  show(result);
}

function ask(): void {
  const wanted: WantedView = { follow: follow.value.trim(), namespace: namespace.value.trim(), path: withPath.checked };
  if (opened !== null) worker.start({ kind: 'view', keptCaptures: opened.keptCaptures, wanted, ...explorerParts });
}

/** One of the three states of the page. */
function show(state: HTMLElement): void {
  for (const one of [start, reading, result]) one.hidden = one !== state;
  document.documentElement.dataset['state'] = state.id;
  if (state === start) chooser.value = '';
}

function optionOf(value: string): HTMLOptionElement {
  const option = document.createElement('option');
  option.value = value;
  return option;
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

function partOf(id: string): ExplorerPart {
  return { text: textOf(id), sha256: document.getElementById(id)?.dataset['sha256'] ?? '' };
}

/** The example, which is in the page. */
function example(): ChosenFile {
  const element = byId('example-capture', HTMLElement);
  const bytes = Uint8Array.from(atob(element.textContent ?? ''), (one) => one.charCodeAt(0));
  return { name: element.dataset['name'] ?? 'example.pcap.gz', blob: new Blob([bytes]) };
}

function chosen(list: FileList | null | undefined): ChosenFile[] {
  return [...(list ?? [])].map((file) => ({ name: file.name, blob: file }));
}

function on(id: string, act: () => void): void {
  byId(id, HTMLElement).addEventListener('click', act);
}

on('choose', () => chooser.click());
on('example', () => open([example()]));
on('cancel', close);
on('other', close);
on('save-page', () => view !== null && save(`${baseName}.html`, view.html));
on('save-mermaid', () => view !== null && save(`${baseName}.mmd`, new Blob([view.mermaid], { type: 'text/plain' })));
on('save-messages', () => opened !== null && worker.start({ kind: 'messages', keptCaptures: opened.keptCaptures }));
chooser.addEventListener('change', () => open(chosen(chooser.files)));
byId('wanted', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});

// A file that is dropped beside the field would replace the page.
for (const name of ['dragenter', 'dragover'] as const)
  document.addEventListener(name, (event) => {
    event.preventDefault();
    start.classList.add('over');
  });
for (const name of ['dragleave', 'dragend'] as const)
  document.addEventListener(name, () => start.classList.remove('over'));
document.addEventListener('drop', (event) => {
  event.preventDefault();
  start.classList.remove('over');
  open(chosen(event.dataTransfer?.files));
});

const tabs = [...document.querySelectorAll<HTMLButtonElement>('[role="tab"]')];
function choose(tab: HTMLButtonElement): void {
  for (const one of tabs) {
    const isChosen = one === tab;
    one.setAttribute('aria-selected', String(isChosen));
    one.tabIndex = isChosen ? 0 : -1;
    byId(one.getAttribute('aria-controls') ?? '', HTMLElement).hidden = !isChosen;
  }
}
tabs.forEach((tab, i) => {
  tab.addEventListener('click', () => choose(tab));
  tab.addEventListener('keydown', ({ key }) => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const next = tabs[(i + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
});

show(start);

/** Objects that the field offers: a browser's list of more is no help. */
const OFFERED = 500;
