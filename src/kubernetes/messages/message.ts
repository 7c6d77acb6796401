// One arrow: a request, a response, a watch event, or one piece of a stream, with the field names of the output.

import type { Shown, ShownValue } from '../../redaction/shown.js';
import type { AppliedFor, Release } from '../objects/applied-by.js';
import type { K8sEventInfo, ObjectField, OwnerInfo } from '../objects/object-info.js';
import type { StatusProblem } from '../objects/status-problems.js';
import type { Tier } from '../participants/tiers.js';
import type { UserEvidence } from '../participants/user.js';
import type { Details } from './details-types.js';
import type { AllShown, CAUSE_KINDS } from './field-values.js';
import type { Captured, KINDS, PROTOCOLS, ReadableField } from './fields.js';

export type { Shown, ShownValue } from '../../redaction/shown.js';
export type { AppliedFor, Details, K8sEventInfo, ObjectField, OwnerInfo, Release, StatusProblem, Tier, UserEvidence };

export type MessageKind = (typeof KINDS)[number];
export type Protocol = (typeof PROTOCOLS)[number];

/** Fields that stand for themselves, as fields.ts describes them. */
type MessageFields = { readonly [Name in ReadableField]?: AllShown<Captured<Name>> };

export interface Message extends MessageBase, MessageFields {}

/** What every message has, and what is made of several facts: texts in it were made to be shown. */
export interface MessageBase {
  /** 1, 2, 3 … in the order of `time`, given before any selection. */
  readonly seq: number;
  /** ns since the epoch: the frame that completed the message. */
  readonly time: bigint;
  /** ns since the epoch: its first byte. */
  readonly started: bigint;
  readonly kind: MessageKind;
  readonly protocol: Protocol;
  readonly from: Participant;
  readonly to: Participant;
  /** What they were called when the message was let go: lines keep it, diagrams use the better names of later. */
  readonly fromName?: Shown;
  readonly toName?: Shown;
  readonly label: Shown;
  readonly exchange: number;
  /** The request of its exchange; undefined: the message is the request itself, or it was not captured. */
  readonly request?: Message;
  /**
   * The object that it asks for, answers about or shows; of a list or a watch of several objects there is none. Of a request the response
   * decides, which a reader may not have seen yet.
   */
  readonly about?: ObjectLife;
  /** Of a Kubernetes Event, and of requests and responses with one: the object that it reports on. */
  readonly reportsOn?: ObjectLife;
  readonly connection: string;
  readonly stream: number | null;
  /** Index among the capture arguments: where its first frame is. */
  readonly capture: number;
  /** Where its last frame is, if that is another one: two hosts, or two files of a ring. */
  readonly lastCapture?: number;
  /** First and last frame, as Wireshark counts in each file. */
  readonly frames: readonly [number, number];
  readonly complete: boolean;
  /** Names of fields that were concluded, not read. */
  readonly inferred?: readonly string[];
  readonly causedBy?: number;
  /** How that is known. */
  readonly cause?: Cause;
  readonly target?: Shown;
  readonly userAgent?: Shown;
  /** Of an admission webhook's answer: the operations (RFC 6902) by which it changes the object. */
  readonly patch?: readonly ShownValue[];
  /** Whose addresses stood in the packets before they were translated, in the order in which it passed them. */
  readonly via?: readonly Participant[];
  /** Their names when the message was let go. */
  readonly viaNames?: readonly Shown[];
  /** Where the same message was seen with other addresses. */
  readonly translated?: readonly TranslatedCopy[];

  /** Its head and body, where the pipeline was asked to keep them. */
  readonly details?: Details;
}

export interface Cause {
  /** `seq` of the message that it follows from. */
  readonly seq: number;
  readonly how: (typeof CAUSE_KINDS)[number];
  /** The capture proves it; else others are possible. */
  readonly certain: boolean;
  /** `seq` of messages that it can follow from as well. */
  readonly others?: readonly number[];
}

/**
 * A cause that is decided when the pending response arrives.
 * @param deadlinePassed the message waits no longer.
 * @returns null: there is none; undefined: not known yet, never with `deadlinePassed`.
 */
export type PendingCause = (deadlinePassed: boolean) => Cause | null | undefined;

/** Tries to complete a message: false while something still to come may do so, unless `deadlinePassed`. */
export type Resolution = (deadlinePassed: boolean) => boolean;

export interface TranslatedCopy {
  readonly connection: string;
  /** Index among the capture arguments. */
  readonly capture: number;
  readonly frames: readonly [number, number];
}

/** One object from its creation to its end: what has its name later is another one. Where no body shows it, only its name is known. */
export interface ObjectLife {
  /** Empty: the core group, or a group that no message tells. */
  readonly apiGroup: string;
  readonly resource: string;
  /** null: cluster-scoped. */
  readonly namespace: string | null;
  readonly name: string;
  /** null: no body shows it. */
  readonly uid: string | null;
  /** The request that created it; null: it was there before, or that was not captured. */
  readonly created: SentWrite | null;
  readonly deletion: Deletion | null;
}

/** Who sent a request, and which one. */
export type SentWrite = Pick<MessageBase, 'seq' | 'from'> & { readonly user?: Shown };

/** How an object was deleted, or is being deleted. */
export interface Deletion {
  /** The first request that asked for it: a delete, an eviction, one to delete a collection. null: it was not captured. */
  readonly askedBy: DeletionWrite | null;
  /** What began the chain of causes that led to that request; null: nothing else is known to have. */
  readonly because: FirstCause | null;
  /** A later request that took what the deletion waited for: a finalizer, a grace period. null: it waited for none, or it is not known. */
  readonly finishedBy: DeletionWrite | null;
}

export interface DeletionWrite {
  readonly request: Message;
  /** Of a request to delete, where it was captured. */
  response?: Message;
}

export interface FirstCause {
  readonly request: Message;
  /** The kind of its object; null: the capture shows none. */
  readonly kind: string | null;
  /** The capture proves each step of the chain. */
  readonly isCertain: boolean;
}

/** Who sends or receives: one program on one address. Its name may get better as evidence grows. */
export interface Participant {
  /** Stable within one run: the same program gives the same id. */
  readonly id: number;
  readonly component: string;
  /** As docs/messages.md names participants: `kubelet (node-1)`, `client 192.0.2.7`. */
  readonly name: string;
  /** Where it stands in a diagram, from left to right. */
  readonly tier: Tier;
  /** Short id for diagrams, from our own table; null for programs without a row there. */
  readonly shortId: string | null;
  readonly perNode: boolean;
  /** The process that this participant is part of (a controller's is the controller manager); itself otherwise. */
  readonly process: Participant;
  /** In words, with frames: how it was recognised. */
  readonly evidence: readonly string[];
}
