// A worker of the page, which does one thing: reads captures, or makes a view of what another one read. The page ends it when it has
// answered, and with it the memory that it took.

import { sortFiles, UnreadableFiles } from './chosen-files.js';
import type { KeptCaptures } from './kept-captures.js';
import type { FromWorker, ToWorker } from './protocol.js';
import { readCaptures } from './read-captures.js';
import { linesOf, viewOf } from './views.js';

/** What a worker has of its own. */
declare const self: {
  onmessage: ((event: { readonly data: ToWorker }) => void) | null;
  postMessage(message: FromWorker): void;
};

self.onmessage = ({ data }) => {
  answerTo(data).then(
    (answer) => self.postMessage(answer),
    (error: unknown) => {
      const text = error instanceof UnreadableFiles ? error.message : `This cannot be read: ${String(error)}`;
      self.postMessage({ kind: 'failed', text });
    },
  );
};

async function answerTo(asked: ToWorker): Promise<FromWorker> {
  switch (asked.kind) {
    case 'open': {
      const total = asked.files.reduce((sum, { blob }) => sum + blob.size, 0);
      const { found, kept } = await readCaptures(await sortFiles(asked.files), (read, messages) =>
        self.postMessage({ kind: 'progress', read, total, messages }),
      );
      return { kind: 'found', found, keptCaptures: kept };
    }
    case 'view':
      return { kind: 'view', view: await viewOf(asked.keptCaptures as KeptCaptures, asked.wanted, asked) };
    case 'messages':
      return { kind: 'messages', lines: await linesOf(asked.keptCaptures as KeptCaptures) };
  }
}
