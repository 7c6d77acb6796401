// Defines the history of an object: its revisions in order, their writers, failed writes, and Kubernetes Events about
// it.

import type { Message, ShownValue } from '../kubernetes/messages/message.js';

export interface ObjectHistory {
  /** Plural resource, namespace (null: cluster-scoped) and name. */
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  /** One for each uid: an object that was recreated has several. */
  readonly incarnations: readonly Incarnation[];
}

export interface Incarnation {
  /** null: no body and no event shows it. */
  readonly uid: string | null;
  readonly apiVersion: string | null;
  readonly kind: string | null;
  readonly owners: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  /** In the order of time. */
  readonly steps: readonly HistoryStep[];
  /** Why a Pod had to be deleted, if known. */
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

/** `seen`: it existed before the capture. */
export type RevisionKind = 'created' | 'seen' | 'changed' | 'marked for deletion' | 'deleted';

export interface Revision {
  readonly kind: 'version';
  readonly resourceVersion: string;
  readonly happened: RevisionKind;
  /** The first message that shows it. */
  readonly first: Message;
  /** null: no captured write created it. */
  readonly author: Author | null;
  /** Owners of the changed fields in managedFields, if no write was captured. */
  readonly managers: readonly string[];
  readonly generation?: number;
  /** Changes since the last version with a body; all fields of the first one. null: its body is unknown. */
  readonly changes: readonly FieldChange[] | null;
  /** Fields that the author sent to create it; `changes` are then those that the API server added. */
  readonly sent?: readonly FieldChange[];
  /** Changes by admission webhooks, which are in none of the two above. */
  readonly mutations?: readonly Mutation[];
  /** The version that `changes` compare with, if others are in between. */
  readonly since?: string;
}

/** Changes of a write by a mutating webhook. */
export interface Mutation {
  /** The call of the webhook, and its response with the patch. */
  readonly request: Message;
  readonly response: Message;
  /** Fields of the version that still have its values. */
  readonly changes: readonly FieldChange[];
}

export interface Author {
  readonly request: Message;
  readonly response: Message | undefined;
  /** Evidence that the write created this version. */
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
  readonly kind: 'k8sEvent';
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
