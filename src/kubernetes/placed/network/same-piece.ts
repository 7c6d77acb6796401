// Decides whether two pieces of exchanges, from two connections, are copies of each other.

import type { Fields } from '../../../core/fields.js';
import type { ExchangeEvent } from '../../../http/exchange-event.js';

/** Pieces that lack bytes are compared as far as both go. */
export function isSamePiece(a: ExchangeEvent, b: ExchangeEvent): boolean {
  if (a.exchange.stream !== b.exchange.stream) return false;
  if (idOf(a) !== null && a.kind === b.kind) return true;
  switch (a.kind) {
    case 'request': {
      const [one, other] = [a.exchange.request, b.exchange.request];
      if (b.kind !== 'request' || one?.method !== other?.method || one?.target !== other?.target) return false;
      return isSameFields(one?.fields, other?.fields) && isSameLength(a, b);
    }
    case 'response': {
      const [one, other] = [a.exchange.response, b.exchange.response];
      if (b.kind !== 'response' || one?.status !== other?.status) return false;
      return isSameFields(one?.fields, other?.fields) && isSameLength(a, b);
    }
    case 'item':
      return b.kind === 'item' && a.from === b.from && isSameBytes(a.bytes, b.bytes);
    case 'channel':
      return b.kind === 'channel' && a.from === b.from && a.channel === b.channel && a.size === b.size;
    case 'tunnel':
      // Its bytes were borrowed, and are overwritten by now.
      return b.kind === 'tunnel' && a.from === b.from && a.bytes.length === b.bytes.length;
    case 'exchange-end':
      return b.kind === 'exchange-end' && a.requestSeen === b.requestSeen && a.responseSeen === b.responseSeen;
  }
}

/**
 * Identifies a piece by its stream: one of HTTP/2 has one request and one answer, and no other has its number (RFC 9113,
 * 5.1.1). Where packets are missing on one side, fields of all later heads may be missing, too.
 * @returns null: only its content identifies it.
 */
export function idOf(piece: ExchangeEvent): number | null {
  const { kind } = piece;
  if (kind !== 'request' && kind !== 'response') return null;
  return idsOf(piece)[kind === 'request' ? 0 : 1] ?? null;
}

/** Of the request and the answer of its exchange; empty where there are none. */
export function idsOf({ exchange: { stream } }: ExchangeEvent): readonly number[] {
  return stream === null ? [] : [stream * 2, stream * 2 + 1];
}

/** How complete a piece is: of two copies the more complete one is emitted. */
export function completenessOf(piece: ExchangeEvent): number {
  if (piece.kind !== 'exchange-end' && piece.complete) return Number.POSITIVE_INFINITY;
  const { request, response } = piece.exchange;
  const head = piece.kind === 'request' ? request : piece.kind === 'response' ? response : null;
  if (head === null) return 0;
  const words = head.kind === 'request-head' ? [head.method, head.target] : [head.status];
  // Names and values alternate.
  return head.fields.length / 2 + words.filter((word) => word !== null).length;
}

type PieceWithBody = Extract<ExchangeEvent, { kind: 'request' | 'response' }>;

function isSameLength(a: PieceWithBody, b: PieceWithBody): boolean {
  return !a.complete || !b.complete || (a.body?.length ?? 0) === (b.body?.length ?? 0);
}

function isSameFields(a: Fields | undefined, b: Fields | undefined): boolean {
  if (a === undefined || b === undefined || a.length !== b.length) return a === b;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
