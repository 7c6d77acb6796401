// Finds clients that send no name of their own: the User-Agent of Go's library, an empty one, or none. Nobody can tell who they are.

import { SeriesTable } from '../../core/collections/series-table.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { findingOf, MAX_FINDINGS, Recurrence, type UsageFinding } from './finding.js';

interface NamelessClient {
  readonly client: Participant;
  readonly userAgent: string;
  readonly recurrence: Recurrence;
}

export class NamelessClients {
  readonly #threshold: number;
  readonly #clients = new SeriesTable<number, NamelessClient>(MAX_FINDINGS);

  /** @param threshold requests from which on a client counts. */
  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  observe({ from: client, userAgent, stream, complete, time, seq }: Message): void {
    // Of HTTP/2 a field can be missing because it was sent before the capture.
    const isNameless = userAgent === undefined ? stream === null && complete : NAMELESS.test(userAgent);
    if (!isNameless) return;
    const begun = () => ({ client, userAgent: userAgent ?? '', recurrence: new Recurrence() });
    this.#clients.of(client.id, begun)?.recurrence.add(time, seq);
  }

  findings(): UsageFinding[] {
    return [...this.#clients.values()]
      .filter(({ recurrence }) => recurrence.count >= this.#threshold)
      .map(({ client, userAgent, recurrence }) => {
        const agent = userAgent === '' ? 'no User-Agent' : `the User-Agent ${userAgent}`;
        return findingOf('nameless-client', [client], `sends ${agent}: ${recurrence.words}`, recurrence);
      });
  }
}

/** Go's net/http, where the program sets none. */
const NAMELESS = /^(?:Go-http-client\/[\d.]+)?$/i;
