// Attributes changed fields of a revision to mutating webhooks, by applying each patch to the object that the webhook
// received.

import type { Message } from '../kubernetes/messages/message.js';
import { changesBetween } from './changes.js';
import { patched } from './json-patch.js';
import type { FieldChange, Mutation } from './model.js';

/** A call of a webhook that changes what is written. */
export interface PatchedBy {
  readonly request: Message;
  readonly response: Message;
  /** The object in the call; undefined: not shown. */
  readonly object: unknown;
}

export interface Attributed {
  /** Of the given changes, those that no webhook made. */
  readonly changes: readonly FieldChange[] | null;
  readonly mutations: readonly Mutation[];
}

/**
 * @param changes of a version, or null. @param webhooks in the order in which the API server called them.
 */
export function attributed(changes: readonly FieldChange[] | null, webhooks: readonly PatchedBy[]): Attributed {
  if (webhooks.length === 0) return { changes, mutations: [] };
  // A field has the value of the webhook that set it last.
  const setters = new Map<string, { readonly by: PatchedBy; readonly change: FieldChange }>();
  for (const by of webhooks)
    for (const change of changesBetween(by.object, patchedObject(by))) setters.set(change.path, { by, change });
  const setterOf = (change: FieldChange): PatchedBy | undefined => {
    const setter = setters.get(change.path);
    return setter !== undefined && mayBeSame(setter.change.after, change.after) ? setter.by : undefined;
  };
  return {
    changes: changes?.filter((change) => setterOf(change) === undefined) ?? null,
    mutations: webhooks.map((by) => ({
      request: by.request,
      response: by.response,
      changes: changes?.filter((change) => setterOf(change) === by) ?? [],
    })),
  };
}

function patchedObject({ object, response }: PatchedBy): unknown {
  return object === undefined ? undefined : (patched(object, response.patch ?? []) ?? object);
}

/** Whether a field can still be what a webhook made it; of objects the API server fills in members, and hidden values cannot be compared. */
function mayBeSame(set: unknown, is: unknown): boolean {
  if (typeof set !== typeof is || (typeof set === 'object' && set !== null)) return typeof set === typeof is;
  return set === is || (typeof set === 'string' && HIDDEN.test(`${set} ${String(is)}`));
}

const HIDDEN = /REDACTED|…/;
