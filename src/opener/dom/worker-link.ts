// Starts the worker from the text that the page holds, and passes messages: nothing is requested, now or later.

import type { FromWorker, ToWorker } from '../protocol.js';

/** Trusted Types, where a browser has them: the page's policy lets this one URL alone become a script. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

export class WorkerLink {
  readonly #worker: Worker;

  /** @param code the worker's program. */
  constructor(code: string, onMessage: (message: FromWorker) => void) {
    const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
    const policy = trustedTypes?.createPolicy('kubeseq', { createScriptURL: (own) => (own === url ? own : '') });
    this.#worker = new Worker(policy === undefined ? url : policy.createScriptURL(url));
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => onMessage(data);
    this.#worker.onerror = ({ message }) =>
      onMessage({
        kind: 'failed',
        text: `The page's worker ended: ${message || 'it may have needed more memory than there is'}.`,
      });
  }

  send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}
