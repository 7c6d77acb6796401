// What is known of an object where causes are sought: who it is, whose, and what else it belongs with. Knows nothing of messages.

export interface ObjectRef {
  /** Resource and group, namespace, name: `pods. default nginx`; empty: only its uid is known. */
  readonly key: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** uids of its owners, all of them; undefined: it was not told who owns it. */
  readonly owners?: readonly string[];
  readonly madeOf?: Related;
}

/** What else an object belongs with: uids (Pods behind a Service) and keys (the Service that Endpoints are named after). */
export interface Related {
  readonly uids: readonly string[];
  readonly keys: readonly string[];
  /** Keys of nodes: of the one that a Pod is made for; that it gets; that it is on and is asked to leave, if that is known. */
  readonly targetNode?: string;
  readonly node?: string;
  readonly evictedFrom?: string | null;
  /** Keys of the VolumeAttachments of a node: that one is attached is reported in the node's status, whatever else is heard. */
  readonly attachments?: readonly string[];
}
