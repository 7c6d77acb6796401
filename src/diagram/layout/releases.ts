// Groups the writes of Helm into operations (install, upgrade, rollback, uninstall) by its release records.

import type { Message, Release } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { isCarriedOut } from '../selection/follow.js';

/** @returns write of Helm → its operation: `upgrade of release shop, revision 2`. */
export function operationsIn(index: MessageIndex): ReadonlyMap<Message, string> {
  const parts = new Map<Message, string>();
  /** Sender → operation in progress. */
  const open = new Map<number, ReleaseOperation>();
  for (const message of index.messages) {
    if (!isCarriedOut(message, index)) continue;
    const { from, release } = message;
    const begun = beginningIn(message);
    const before = open.get(from.id);
    const operation = begun === undefined || begun.title === before?.title ? before : begun;
    if (operation === undefined) continue;
    open.set(from.id, operation);
    const removes = isRemoval(message, operation);
    operation.removes ||= removes;
    const isOver = operation.removes && !removes;
    if (!isOver) parts.set(message, operation.title);
    if (isOver || (begun === undefined && release?.revision === operation.revision)) open.delete(from.id);
  }
  return parts;
}

/** @returns record → note, for each new status; a failed release is noted as a problem instead. */
export function releaseNotes(index: MessageIndex): ReadonlyMap<Message, readonly string[]> {
  const notes = new Map<Message, readonly string[]>();
  const last = new Map<string, string>();
  for (const message of index.messages) {
    const { release, namespace } = message;
    if (release === undefined || !isCarriedOut(message, index)) continue;
    const words = wordsOf(release);
    const known = last.get(`${namespace} ${words}`);
    last.set(`${namespace} ${words}`, release.status);
    if (known !== release.status && message.problems === undefined) notes.set(message, [`${words}: ${release.status}`]);
  }
  return notes;
}

interface ReleaseOperation {
  readonly title: string;
  readonly revision: number;
  /** Prefix of the names of the release's records. */
  readonly records: string;
  readonly isUninstall: boolean;
  /** An uninstall ends with the deletion of the records, one by one. */
  removes: boolean;
}

function beginningIn({ release, name: record }: Message): ReleaseOperation | undefined {
  const name = record ?? '';
  const begins = BEGINS.get(release?.status ?? '');
  if (release === undefined || begins === undefined) return undefined;
  return {
    title: `${begins} of ${wordsOf(release)}`,
    revision: release.revision,
    records: name.slice(0, name.lastIndexOf('.') + 1),
    isUninstall: begins === 'uninstall',
    removes: false,
  };
}

function isRemoval({ verb, name }: Message, { isUninstall, records }: ReleaseOperation): boolean {
  return isUninstall && verb === 'delete' && name?.startsWith(records) === true;
}

function wordsOf({ name, revision }: Release): string {
  return `release ${name}, revision ${revision}`;
}

/** Helm: pkg/release/common/status.go */
const BEGINS: ReadonlyMap<string, string> = new Map([
  ['pending-install', 'install'],
  ['pending-upgrade', 'upgrade'],
  ['pending-rollback', 'rollback'],
  ['uninstalling', 'uninstall'],
]);
