// One object's life as data: its versions in order, who made them, what else happened to it. What renderers draw.

import type { Message, ShownValue } from '../kubernetes/messages/message.js';

export interface ObjectHistory {
  /** As it was asked for: plural resource, namespace (null: cluster-scoped) and name. */
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  /** One for each uid: an object of the same name that came later is another one. */
  readonly incarnations: readonly Incarnation[];
}

export interface Incarnation {
  /** null where no body and no event told it. */
  readonly uid: string | null;
  readonly apiVersion: string | null;
  readonly kind: string | null;
  readonly owners: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  /** In the order in which they happened. */
  readonly steps: readonly HistoryStep[];
  /** Of a Pod: why it had to go, where that is said. */
  readonly disruption?: Disruption;
}

/** Why a Pod had to be deleted. */
export interface Disruption {
  /** In words: `evicted by a drain of node-1`. */
  readonly words: string;
  /** The condition's reason; null if the capture has only the eviction request. */
  readonly reason: string | null;
  /** The eviction request, otherwise the message whose body has the condition. */
  readonly message: Message;
}

export type HistoryStep = Revision | Attempt | RelatedEvent;

/** What a version was: the first of its life, one that was there before, a change, or the last. */
export type RevisionKind = 'created' | 'seen' | 'changed' | 'marked for deletion' | 'deleted';

export interface Revision {
  readonly kind: 'version';
  readonly resourceVersion: string;
  readonly happened: RevisionKind;
  /** The message that showed it first. */
  readonly first: Message;
  /** null: no captured write made it. */
  readonly author: Author | null;
  /** Of managedFields: who owns what changed, where no write was captured. */
  readonly managers: readonly string[];
  readonly generation?: number;
  /** Against the version before whose body was seen; of the first: all its fields. null: its body was not seen. */
  readonly changes: readonly FieldChange[] | null;
  /** Of a created one: what its author sent; `changes` are then what the API server filled in. */
  readonly sent?: readonly FieldChange[];
  /** Admission webhooks that changed what its author sent; their fields are in none of the two above. */
  readonly mutations?: readonly Mutation[];
  /** The version that `changes` are against, where there are others between. */
  readonly since?: string;
}

/** What a mutating webhook made of a write. */
export interface Mutation {
  /** What the API server asked it, and its answer, which has the patch. */
  readonly request: Message;
  readonly response: Message;
  /** Fields of the version that are as it set them. */
  readonly changes: readonly FieldChange[];
}

export interface Author {
  readonly request: Message;
  readonly response: Message | undefined;
  /** How the write is known to have made this version. */
  readonly how: 'answer' | 'event' | 'only write under way';
}

/**
 * A write of which no version is known: it was refused, it changed nothing, it was done and no version of it was seen, or
 * its answer was not captured.
 */
export interface Attempt {
  readonly kind: 'attempt';
  readonly what: 'refused' | 'no change' | 'done' | 'dry run' | 'unanswered';
  readonly request: Message;
  readonly response: Message | undefined;
}

/** An Event that somebody wrote about it. */
export interface RelatedEvent {
  readonly kind: 'report';
  readonly message: Message;
  /** How often it was told. */
  readonly times: number;
}

/** One field. What was not there before, or is not there any more, is undefined. */
export interface FieldChange {
  /** `spec.containers[nginx].image`, `metadata.labels[app.kubernetes.io/name]`. */
  readonly path: string;
  readonly before?: ShownValue;
  readonly after?: ShownValue;
}
