// Starts a worker for each task, from the text that the page holds, and ends it when it has answered: nothing is requested, now or later.

import type { FromWorker, ToWorker } from '../protocol.js';

/** Trusted Types, where a browser has them: the page's policy lets this one URL alone become a script. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

export class WorkerLink {
  readonly #url: string;
  readonly #onMessage: (message: FromWorker) => void;
  readonly #workers = new Map<ToWorker['kind'], Worker>();

  /** @param code the worker's program. */
  constructor(code: string, onMessage: (message: FromWorker) => void) {
    const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
    const policy = trustedTypes?.createPolicy('kubeseq', { createScriptURL: (own) => (own === url ? own : '') });
    this.#url = policy === undefined ? url : policy.createScriptURL(url);
    this.#onMessage = onMessage;
  }

  /** In place of a task of the same kind, if one is not done. */
  start(task: ToWorker): void {
    this.#end(task.kind);
    const worker = new Worker(this.#url);
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind !== 'progress') this.#end(task.kind);
      this.#onMessage(data);
    };
    worker.onerror = ({ message }) => {
      this.#end(task.kind);
      this.#onMessage({
        kind: 'failed',
        text: `The page's worker ended: ${message || 'it may have needed more memory than there is'}.`,
      });
    };
    worker.postMessage(task);
    this.#workers.set(task.kind, worker);
  }

  /** Gives up whatever is not done. */
  endAll(): void {
    for (const kind of [...this.#workers.keys()]) this.#end(kind);
  }

  #end(kind: ToWorker['kind']): void {
    this.#workers.get(kind)?.terminate();
    this.#workers.delete(kind);
  }
}
