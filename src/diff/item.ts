// Defines an item of a comparison: one arrow with comparable names, its exchange and its cause.

import type { FoldReason } from '../diagram/disposition.js';
import type { Message } from '../kubernetes/messages/message.js';

export interface Item {
  readonly kind: 'request' | 'response' | 'event' | 'data' | 'end';
  readonly from: string;
  readonly to: string;
  /** Label with generated names replaced. */
  readonly label: string;
  /** For a response, an event or stream data: the label of its request; else empty. */
  readonly requestLabel: string;
  /** Objects that it is about, with generated names replaced. */
  readonly about: readonly string[];
  /** Whether it is a request that changes an object. */
  readonly writes: boolean;
  /** Number of its exchange on its side. */
  readonly exchange: number;
  /** Number of this item on its side. */
  readonly seq: number;
  /** `seq` of the item that it certainly follows from, if there is one. */
  readonly follows?: number;
  /** Frames and number of the message, or line of the diagram. */
  readonly where: { readonly frames: readonly [number, number]; readonly seq: number } | { readonly line: number };
  /** `from` and `to` without the node or replica: `kubelet` of `kubelet (node-1)`; undefined: as they are. */
  readonly roles?: readonly [from: string, to: string];
  /** Of a request that writes: its body with generated names replaced; undefined: none is known. */
  readonly body?: () => unknown;
  /** undefined: it is an arrow of a written diagram. */
  readonly source?: ItemSource;
}

/** What the capture says of an item. */
export interface ItemSource {
  readonly message: Message;
  /** Of its exchange; undefined: sent before the capture. */
  readonly request: Message | undefined;
  readonly response: Message | undefined;
  /** Why a diagram leaves it out; undefined: a diagram draws it. */
  readonly background: FoldReason | undefined;
  /** Its exchange is a write that lost against another one, and is repeated (409 Conflict). */
  readonly isRetried: boolean;
}

/** One of the two captures or diagrams that are compared. */
export interface DiffSide {
  /** Name as the user wrote it. */
  readonly name: string;
  /** Items that a diagram draws, in order. */
  readonly items: readonly Item[];
  /** Items that a diagram leaves out: background traffic, messages without effect. */
  readonly notDrawn: readonly Item[];
  /** Lifelines from left to right. */
  readonly participants: readonly string[];
}

/** Equal items have equal keys. */
export function keyOf(item: Item): string {
  return keyBetween(item, item.from, item.to);
}

/** Items that are equal, whichever node or replica sent them, have equal keys. */
export function roleKeyOf(item: Item): string {
  const [from, to] = item.roles ?? [item.from, item.to];
  return keyBetween(item, from, to);
}

/** Items that are equal where both could be read have equal keys: of a target, the API group may be unread. */
export function readKeyOf(item: Item): string {
  return roleKeyOf(item).replaceAll(GROUP, '$1…/namespaces/');
}

/** Whether the API group of its target was not read: a header table of before the capture had it. */
export function isPartlyRead({ label, requestLabel }: Item): boolean {
  return (requestLabel === '' ? label : requestLabel).includes(' …/namespaces/');
}

function keyBetween({ kind, label, requestLabel }: Item, from: string, to: string): string {
  // A diagram wraps long labels, which adds and removes blanks.
  return [kind, from, to, label.replaceAll(' ', ''), requestLabel.replaceAll(' ', '')].join('\n');
}

/** In a key, which has no blanks. */
const GROUP = /(\[REQ\][A-Z]+)(?:\/api\/v1|\/apis\/[^/\n]+\/[^/\n]+|…)\/namespaces\//g;
