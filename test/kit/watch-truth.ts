// Watch events as lab/oracles/gzip-watches.py takes them out of a capture, and as messages tell them: one text for each, to be
// compared.

import type { Message } from '../../src/index.js';

export interface ToldEvent {
  readonly frame: number;
  readonly connection: string;
  readonly stream: number | null;
  readonly gzip?: boolean;
  readonly type: string | undefined;
  readonly kind: string | undefined;
  readonly name: string | null;
  readonly resourceVersion: string | null;
}

export function eventsIn(all: readonly Message[]): ToldEvent[] {
  return all
    .filter(({ kind }) => kind === 'event')
    .map(({ frames, connection, stream, type, object }) => ({
      frame: frames[1],
      connection,
      stream,
      type,
      kind: object?.kind,
      name: object?.name ?? null,
      resourceVersion: object?.resourceVersion ?? null,
    }));
}

export const words = ({ frame, connection, stream, type, kind, name, resourceVersion }: ToldEvent): string =>
  [frame, connection, stream, type, kind, name, resourceVersion].join(' ');
/** Where frames have other numbers. */
export const what = (told: ToldEvent): string => words({ ...told, frame: 0 });
