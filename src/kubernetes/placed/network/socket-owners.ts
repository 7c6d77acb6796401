// Remembers which process owns each end of a connection, as the capturing program or `kubeseq keys` noted it.

import { RecentMap } from '../../../core/collections/bounded.js';
import type { SocketOwner, SocketProcess } from '../../../core/socket-owner.js';
import type { TlsEstablished } from '../../../tcp/stream-event.js';
import { objectText } from '../../api/object-ref.js';
import { type Evidence, proven } from '../../participants/participant-record.js';

export interface OwningProcess extends SocketProcess {
  /** Name of its executable; null: it cannot be a name of a program. */
  readonly program: string | null;
  readonly evidence: Evidence;
}

export class SocketOwners {
  readonly #byEnd = new RecentMap<string, OwningProcess>(MAX_ENDS);
  /** One for each process, so that its evidence stands once beside a participant. */
  readonly #processes = new RecentMap<string, OwningProcess>(MAX_ENDS);

  /** The key log of a TLS session says which processes used its secrets. */
  onTlsEstablished({ processes = [], origin }: TlsEstablished): void {
    for (const { end, name } of processes) {
      const [, command, pid] = OBSERVED.exec(name) ?? [];
      if (pid === undefined) continue;
      const { address, port } = end;
      this.learn({ address, port, process: { pid: Number(pid), command, pod: null }, origin }, 'kubeseq keys');
    }
  }

  /** @param by who noted it, in words. */
  learn({ address, port, process, origin }: Omit<SocketOwner, 'kind'>, by = 'ptcpdump'): void {
    const { pid, command, pod, by: noter = by } = process;
    const id = `${origin.capture} ${pid} ${command} ${pod?.uid ?? ''}`;
    let known = this.#processes.get(id);
    if (known === undefined) {
      const of = pod === null ? '' : ` of ${objectText('Pod', pod.namespace, pod.name)}`;
      const evidence = proven(`process ${pid}, ${command}${of}, as ${noter} noted`, origin.frame);
      known = { ...process, program: PROGRAM.exec(command)?.[1] ?? null, evidence };
      this.#processes.set(id, known);
    }
    this.#byEnd.set(`${address} ${port}`, known);
  }

  /** undefined: nothing was noted about it. */
  at({ address, port }: { readonly address: string; readonly port: number }): OwningProcess | undefined {
    return this.#byEnd.size === 0 ? undefined : this.#byEnd.get(`${address} ${port}`);
  }
}

/** Program name and process id in a key log (src/core/open-connection.ts). */
const OBSERVED = /^(.+)\[(\d{1,10})\]$/;
/** The last part of a path. */
const PROGRAM = /(?:^|\/)([A-Za-z0-9][\w.+-]{0,62})$/;
/** Limit: ends of connections, and processes, that are remembered; the oldest are dropped first. 200 bytes each. */
const MAX_ENDS = 65_536;
