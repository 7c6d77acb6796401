// Defines the history of an object: its revisions in order, the writes that made them, other writes, and Kubernetes Events about it.

import type { Deletion, Message, ShownValue } from '../kubernetes/messages/message.js';

export interface ObjectHistory {
  /** Plural resource, namespace (null: cluster-scoped) and name. */
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  /** One for each uid: an object that was recreated has several. */
  readonly incarnations: readonly Incarnation[];
}

export interface Incarnation {
  /** null: neither a body nor a watch event shows it. */
  readonly uid: string | null;
  readonly apiVersion: string | null;
  readonly kind: string | null;
  readonly owners: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  /** In the order of time. */
  readonly steps: readonly HistoryStep[];
  /** Absent: nothing in the capture deletes it. */
  readonly deletion?: Deletion;
  readonly disruption?: Disruption;
  /** Of a Lease. */
  readonly tenures?: readonly Tenure[];
}

/** The time for which one client held a Lease. */
export interface Tenure {
  /** `spec.holderIdentity`. */
  readonly holder: string;
  /** The client that wrote it; null: the write was not captured. */
  readonly participant: string | null;
  readonly begin: Message;
  readonly lastRenewal: Message;
  readonly renewals: number;
  /** ns between two renewals. */
  readonly longestGap: bigint;
  /** Its writes meanwhile that were refused or not answered: the Lease was not renewed by them. */
  readonly failed: readonly Message[];
  /** After so long without a renewal another client may take it; null: not known. */
  readonly leaseSeconds: number | null;
  /** null: it was held at the end of the capture. */
  readonly ended: 'released' | 'taken over' | 'deleted' | null;
  readonly end: Message | null;
}

/** Why a Pod was evicted or preempted. */
export interface Disruption {
  /** In words: `evicted by a drain of node-1`. */
  readonly words: string;
  /** Reason of the Pod's condition DisruptionTarget; null if the capture has only the eviction request. */
  readonly reason: string | null;
  /** The eviction request, otherwise the message whose body has the condition. */
  readonly message: Message;
}

export type HistoryStep = Revision | Attempt | RelatedEvent;

/** What happened to the object. `seen`: it existed before the capture, and this is its first revision there. */
export type RevisionKind = 'created' | 'seen' | 'changed' | 'marked for deletion' | 'deleted';

export interface Revision {
  /** The word of the output. */
  readonly kind: 'version';
  readonly resourceVersion: string;
  readonly happened: RevisionKind;
  /** The first message that shows the revision. */
  readonly first: Message;
  /** The write that made the revision; null: it was not captured. */
  readonly author: Author | null;
  /** Owners of the changed fields in managedFields, if no write was captured. */
  readonly managers: readonly string[];
  readonly generation?: number;
  /** Changed fields since the last revision whose body is known, at the first such one all fields; null: the body is unknown. */
  readonly changes: readonly FieldChange[] | null;
  /** Fields that the author sent to create the object; `changes` are then those that the API server added. */
  readonly sent?: readonly FieldChange[];
  /** Changes by admission webhooks, which are in neither `changes` nor `sent`. */
  readonly mutations?: readonly Mutation[];
  /** resourceVersion of the revision that `changes` compare with, if others are in between. */
  readonly since?: string;
}

/** Changes of a write by a mutating webhook. */
export interface Mutation {
  /** The call of the webhook, and its response with the patch. */
  readonly request: Message;
  readonly response: Message;
  /** Fields that have the webhook's values in the revision. */
  readonly changes: readonly FieldChange[];
}

export interface Author {
  readonly request: Message;
  readonly response: Message | undefined;
  /**
   * Evidence that the write made the revision: its response has the resourceVersion, a watch event has it and follows from the write, or no
   * other write of the object was without a response at the time.
   */
  readonly how: 'answer' | 'event' | 'only write under way';
}

/** A write that made no known revision. */
export interface Attempt {
  readonly kind: 'attempt';
  /** `done`: it succeeded, and its revision was not captured. `unanswered`: its response was not captured. */
  readonly what: 'refused' | 'no change' | 'done' | 'dry run' | 'unanswered';
  readonly request: Message;
  readonly response: Message | undefined;
}

/** A Kubernetes Event about the object. */
export interface RelatedEvent {
  readonly kind: 'k8sEvent';
  readonly message: Message;
  /** How many messages hold it. */
  readonly times: number;
}

/** A field, `before` undefined if it was added, `after` undefined if it was removed. */
export interface FieldChange {
  /** `spec.containers[nginx].image`, `metadata.labels[app.kubernetes.io/name]`. */
  readonly path: string;
  readonly before?: ShownValue;
  readonly after?: ShownValue;
}
