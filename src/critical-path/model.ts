// Defines a critical path: the messages from the write that asks for an object to the one that reports it ready, each of which waited for
// the one before.

import type { Deletion, Message } from '../kubernetes/messages/message.js';
import type { LaterProblem, Stuck } from './goals.js';

export interface CriticalPath {
  /** Plural resource, namespace (null: cluster-scoped) and name. */
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string;
  /** In words: `Ready`, `never Ready`, `gone`, `not gone yet`. */
  readonly goal: string;
  /** Of a path to the end of an object: who deleted it. */
  readonly deletion?: Deletion;
  /** false: the capture ends before the goal; the path leads to the newest version of the object. */
  readonly isReached: boolean;
  /** Why the goal was not reached; absent: it was, or nothing says why. */
  readonly stuck?: Stuck;
  /** What went wrong after the goal was reached, and is no part of the path; absent: nothing that the capture shows. */
  readonly later?: LaterProblem;
  /** In the order of time: the first begins with the write that asks for the object, each other where the one before ends. */
  readonly legs: readonly PathLeg[];
  /** Who sent the first message of the path, and what: `kubectl: create pods`. */
  readonly begin: string;
  /** ns: the sum of all legs. */
  readonly duration: bigint;
  /** Messages of the object's story that are not on the path; null: they were not counted. */
  readonly beside: number | null;
  /** Warnings about the object until the end of the path, in words. */
  readonly warnings: readonly string[];
}

/** Kinds of legs, in the order in which a Pod goes through them. */
export const PATH_STEPS = [
  'write',
  'webhook',
  'queue',
  'wait',
  'scheduler',
  'prepare',
  'sandbox',
  'pull',
  'create',
  'start',
  'probe',
  'report',
  'back-off',
  'stop',
  'other',
] as const;
export type PathStep = (typeof PATH_STEPS)[number];

/** What happened between two messages. */
export interface PathLeg {
  readonly step: PathStep;
  /** The program that worked, or waited. */
  readonly who: string;
  readonly what: string;
  readonly from: Message;
  readonly to: Message;
  /** ns. */
  readonly duration: bigint;
}
