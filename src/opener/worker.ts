// The worker of the page: reads captures, so that the page stays responsive, and answers what the page asks for.

import { sortFiles, UnreadableFiles } from './chosen-files.js';
import { OpenedCaptures } from './opened-captures.js';
import type { FromWorker, ToWorker } from './protocol.js';

/** What a worker has of its own. */
declare const self: {
  onmessage: ((event: { readonly data: ToWorker }) => void) | null;
  postMessage(message: FromWorker): void;
};

type Parts = Extract<ToWorker, { kind: 'parts' }>;

let parts: Parts | null = null;
let opened: OpenedCaptures | null = null;
/** Counts what is opened, so that one that was replaced or cancelled ends. */
let turn = 0;

self.onmessage = ({ data }) => {
  answer(data).catch((error: unknown) => {
    const text = error instanceof UnreadableFiles ? error.message : `This cannot be read: ${String(error)}`;
    self.postMessage({ kind: 'failed', text });
  });
};

async function answer(asked: ToWorker): Promise<void> {
  switch (asked.kind) {
    case 'parts':
      parts = asked;
      break;
    case 'cancel':
      turn += 1;
      opened = null;
      self.postMessage({ kind: 'cancelled' });
      break;
    case 'open':
      await open(asked);
      break;
    case 'view':
      if (opened !== null && parts !== null) self.postMessage({ kind: 'view', view: opened.view(asked.wanted, parts) });
      break;
    case 'messages':
      if (opened !== null) self.postMessage({ kind: 'messages', lines: opened.lines() });
  }
}

async function open({ files }: Extract<ToWorker, { kind: 'open' }>): Promise<void> {
  turn += 1;
  const own = turn;
  opened = null;
  const total = files.reduce((sum, { blob }) => sum + blob.size, 0);
  const captures = new OpenedCaptures(await sortFiles(files));
  const found = await captures.read({
    onProgress(read, messages) {
      if (own === turn) self.postMessage({ kind: 'progress', read, total, messages });
      return own === turn;
    },
  });
  if (found === null || own !== turn) return;
  opened = captures;
  self.postMessage({ kind: 'found', found });
}
