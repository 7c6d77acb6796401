// Sends batches to another thread, and waits while too many of them are unread.

import type { MessagePort } from 'node:worker_threads';
import type { SpareBuffers } from '../../index.js';
import { MAX_AHEAD } from './reader.js';

export class Outbox {
  /** The receiver has stopped. */
  stopped = false;
  readonly #port: MessagePort;
  readonly #spare: SpareBuffers[] = [];
  #ahead = 0;
  #goOn = (): void => {};

  /** @param port on which the receiver returns the buffers of each batch, or sends 'stop'. */
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

  /** Returned buffers. */
  spare(): SpareBuffers | undefined {
    return this.#spare.pop();
  }

  /** Resolves when the next batch may be sent. */
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
