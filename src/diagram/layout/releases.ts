// What Helm is at: its records say which release it installs, upgrades, rolls back or uninstalls, and how that ended. Its writes
// from the one record to the other are one operation. Knows records and who sends; nothing of what is drawn.

import type { Message, Release } from '../../kubernetes/messages/message.js';
import type { MessageIndex } from '../message-index.js';
import { isCarriedOut } from '../selection/follow.js';

/** @returns what each write of Helm's is part of: `upgrade of release shop, revision 2`. */
export function operationsIn(seen: MessageIndex): ReadonlyMap<Message, string> {
  const parts = new Map<Message, string>();
  /** By sender. */
  const open = new Map<number, ReleaseOperation>();
  for (const message of seen.messages) {
    if (!isCarriedOut(message, seen)) continue;
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

/** @returns what to say beside each record that says something new; that a release failed is a problem, and told as such. */
export function recordsIn(seen: MessageIndex): ReadonlyMap<Message, readonly string[]> {
  const said = new Map<Message, readonly string[]>();
  const last = new Map<string, string>();
  for (const message of seen.messages) {
    const { release, namespace } = message;
    if (release === undefined || !isCarriedOut(message, seen)) continue;
    const words = wordsOf(release);
    const known = last.get(`${namespace} ${words}`);
    last.set(`${namespace} ${words}`, release.status);
    if (known !== release.status && message.problems === undefined) said.set(message, [`${words}: ${release.status}`]);
  }
  return said;
}

interface ReleaseOperation {
  readonly title: string;
  readonly revision: number;
  /** Names of the release's records begin so. */
  readonly records: string;
  readonly isUninstall: boolean;
  /** The last that an uninstall does is to delete the records, one by one. */
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
