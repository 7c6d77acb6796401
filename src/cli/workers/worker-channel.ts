// Batches on their way to another thread: whoever sends waits while too many were not read. Knows ports and buffers.

import type { MessagePort } from 'node:worker_threads';
import type { SpareBuffers } from '../../index.js';
import { MAX_AHEAD } from './reader.js';

export class Outbox {
  /** Its other side wants no more. */
  stopped = false;
  readonly #port: MessagePort;
  readonly #spare: SpareBuffers[] = [];
  #ahead = 0;
  #goOn = (): void => {};

  /** @param port that is answered with the buffers of each batch, or with 'stop'. */
  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: SpareBuffers | 'stop') => {
      if (message === 'stop') this.stopped = true;
      else {
        this.#spare.push(message);
        this.#ahead -= 1;
      }
      this.#goOn();
    });
  }

  /** Buffers that nobody reads any more. */
  spare(): SpareBuffers | undefined {
    return this.#spare.pop();
  }

  /** Resolves when the next one may be made. */
  async send(message: unknown, buffers: readonly ArrayBuffer[]): Promise<void> {
    this.#port.postMessage(message, buffers);
    this.#ahead += 1;
    while (this.#ahead >= MAX_AHEAD && !this.stopped) {
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    }
  }
}
