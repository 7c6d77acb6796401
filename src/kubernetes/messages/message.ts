// One arrow: a request, a response, a watch event, or one piece of a stream, with the field names of the output.

import type { Shown, ShownValue } from '../../redaction/shown.js';
import type { Tier } from '../identity/tiers.js';
import type { UserEvidence } from '../identity/users/user.js';
import type { AppliedFor } from '../objects/applied-by.js';
import type { K8sEventInfo, ObjectField, OwnerInfo } from '../objects/object-info.js';
import type { Release } from '../objects/releases.js';
import type { StatusProblem } from '../objects/status-problems.js';
import type { Details } from './details-types.js';

export type { Shown, ShownValue } from '../../redaction/shown.js';
export type { AppliedFor, Details, K8sEventInfo, ObjectField, OwnerInfo, Release, StatusProblem, Tier, UserEvidence };

export type MessageKind = 'request' | 'response' | 'event' | 'data';
export type Protocol = 'kubernetes' | 'kubelet' | 'etcd' | 'cri' | 'registry' | 'docker' | 'http' | 'grpc';

/** The same, with texts that may be shown alone. */
export type AllShown<T> = T extends string
  ? string extends T
    ? Shown
    : T
  : T extends readonly (infer Element)[]
    ? readonly AllShown<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: AllShown<T[Key]> }
      : T;

export interface Message {
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
  /** What they were called when the message was let go: lines keep it, pictures use the better names of later. */
  readonly fromName?: Shown;
  readonly toName?: Shown;
  readonly label: Shown;
  readonly exchange: number;
  readonly connection: string;
  readonly stream: number | null;
  /** Index among the capture arguments: where its first frame is. */
  readonly capture: number;
  /** Where its last frame is, if that is another one: two hosts, or two files of a ring. */
  readonly lastCapture?: number;
  /** First and last frame, as Wireshark counts in each file. */
  readonly frames: readonly [number, number];
  readonly complete: boolean;
  readonly inferred?: readonly string[];
  readonly causedBy?: number;

  readonly method?: Shown;
  readonly target?: Shown;
  readonly userAgent?: Shown;
  /** Whose request it is, as the API server's audit log has it; of a review, whose write it is about. In the answer, where that tells. */
  readonly user?: Shown;
  /** How the user is known. */
  readonly userFrom?: UserEvidence;
  readonly verb?: Shown;
  readonly apiGroup?: Shown;
  readonly apiVersion?: Shown;
  readonly resource?: Shown;
  readonly subresource?: Shown;
  readonly namespace?: Shown;
  readonly name?: Shown;

  readonly status?: number;
  readonly auditId?: Shown;
  readonly latencyMs?: number;
  /** Why the API server refused, in its own word (`AlreadyExists`). */
  readonly reason?: Shown;

  readonly object?: AllShown<ObjectField>;
  readonly type?: Shown;
  readonly initial?: boolean;
  /** What an Event object (in a body or a watch event) reports about another object; of one that is repeated, in the answer. */
  readonly k8sEvent?: AllShown<K8sEventInfo>;
  /** What a Pod asks for, where it is new or answered with for the first time: `persistentvolumeclaims/data`, `resourceclaims/gpu`. */
  readonly claims?: readonly Shown[];
  /** What an Event or a refusal says that is not there, or too small: `configmaps/settings`. */
  readonly missing?: readonly Shown[];
  /** A request that is to change nothing: it asks what would happen. */
  readonly dryRun?: boolean;
  /** What the API server warns a client of, in its answer. */
  readonly warnings?: readonly Shown[];
  /** What the status in a request says that is wrong with its object. */
  readonly problems?: readonly AllShown<StatusProblem>[];
  /** For whose sake the object is there, as its labels in a request say. */
  readonly appliedFor?: AllShown<AppliedFor>;
  /** Of a request of Helm's: what it writes down of a release. */
  readonly release?: AllShown<Release>;
  /** Of an admission webhook's answer: the operations (RFC 6902) by which it changes the object. */
  readonly patch?: readonly ShownValue[];
  /** Tells what the API server said about a failure, where that can hold no secret. */
  readonly statusMessage?: Shown;

  /** gRPC: `etcdserverpb.KV`. */
  readonly service?: Shown;
  /** null: cannot be known (late start). */
  readonly rpcMethod?: Shown | null;
  readonly grpcStatus?: number;
  /** etcd. */
  readonly key?: Shown;
  readonly revision?: Shown;
  readonly succeeded?: boolean;
  /** CRI. */
  readonly podSandboxId?: Shown;
  readonly containerId?: Shown;
  readonly image?: Shown;

  readonly channel?: Shown;
  readonly bytes?: number;
  readonly exitCode?: number;

  /** Whose addresses stood in the packets before they were translated, in the order in which it passed them. */
  readonly via?: readonly Participant[];
  /** Their names when the message was let go. */
  readonly viaNames?: readonly Shown[];
  /** Where the same message was seen with other addresses. */
  readonly translated?: readonly TranslatedCopy[];

  /** Its head and body, where the pipeline was asked to keep them. */
  readonly details?: Details;
}

export interface TranslatedCopy {
  readonly connection: string;
  /** Index among the capture arguments. */
  readonly capture: number;
  readonly frames: readonly [number, number];
}

/** Who sends or receives: one program on one address. Its name may get better as evidence grows. */
export interface Participant {
  /** Stable within one run: the same program gives the same id. */
  readonly id: number;
  readonly component: string;
  /** As contract.md names participants: `kubelet (node-1)`, `client 192.0.2.7`. */
  readonly name: string;
  /** Where it stands in a picture, from left to right. */
  readonly tier: Tier;
  /** Short id for diagrams, from our own table; null for programs without a row there. */
  readonly shortId: string | null;
  readonly perNode: boolean;
  /** The process that this speaker is part of (a controller's is the controller manager); itself otherwise. */
  readonly process: Participant;
  /** In words, with frames: how it was recognised. */
  readonly evidence: readonly string[];
}
