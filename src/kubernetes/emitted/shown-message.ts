// Makes a message of a draft: its texts pass the redaction, field by field.

import { CORE_RESOURCES, UNDOTTED_GROUPS } from '../../core/api-resources.js';
import { shownPlainWord } from '../../redaction/names.js';
import type { Redaction } from '../../redaction/redaction.js';
import { ELLIPSIS } from '../../redaction/shown.js';
import type { Draft } from '../messages/draft.js';
import { SEGMENT } from '../messages/field-values.js';
import { FIELD_ROWS } from '../messages/fields.js';
import type { Message } from '../messages/message.js';
import { presentFields } from '../messages/present-fields.js';

/** @param draft becomes the message: nobody changes it afterwards but for its cause. @returns the same object. */
export function shownMessage(draft: Draft, redaction: Redaction): Message {
  const isKnown = isOfTheApi(draft);
  if (isKnown) observeNames(draft, redaction);
  // What identifies a request or an object is shown as it is: only its type changes.
  const message = draft as unknown as WritableMessage;
  if (!isKnown) showUnknownPath(draft, message);
  showFields(message as Message, redaction);
  return message;
}

/** Each by the rule of its row. */
function showFields(message: Message, redaction: Redaction): void {
  const fields = message as unknown as Record<string, unknown>;
  const { indices, count } = presentFields(message);
  for (let i = 0; i < count; i++) {
    const rule = RULES[indices[i]];
    const name = NAMES[indices[i]];
    if (rule !== null) fields[name] = rule(fields[name] as never, redaction);
  }
}

/** By index in FIELD_ROWS. */
const NAMES: readonly string[] = FIELD_ROWS.map(([name]) => name);
const RULES = FIELD_ROWS.map(([, { show }]) => show ?? null);
type WritableMessage = { -readonly [Key in keyof Message]: Message[Key] };

/** What a message names may stand in its texts and in those of later messages. */
function observeNames(draft: Draft, redaction: Redaction): void {
  const { kind, object, k8sEvent, status } = draft;
  if (!NAMING.has(kind)) {
    // A name that the API server generated stands in the answer alone.
    if (status === 201) observe(object?.name, redaction);
    return;
  }
  // Objects, and APIs that the dictionary may not have: a custom resource and its group, a remote call.
  observe(draft.namespace, redaction);
  observe(draft.name, redaction);
  observe(draft.image, redaction);
  if (draft.apiGroup?.includes('.')) {
    observe(draft.apiGroup, redaction);
    observe(draft.resource, redaction);
  }
  observe(draft.service, redaction);
  observe(draft.rpcMethod, redaction);
  if (object !== undefined) {
    observe(object.kind, redaction);
    observe(object.name, redaction);
    observe(object.namespace, redaction);
  }
  if (k8sEvent === undefined) return;
  observe(k8sEvent.name, redaction);
  observe(k8sEvent.component, redaction);
}

/** A response is about what its request named, and pieces of a stream name nothing. */
const NAMING: ReadonlySet<Draft['kind']> = new Set<Draft['kind']>(['request', 'event']);

function observe(name: string | null | undefined, redaction: Redaction): void {
  if (name != null) redaction.observeName(name);
}

/** A path that is none of the Kubernetes API's names no objects: words that people write stay, anything else is left out. */
function showUnknownPath(draft: Draft, message: WritableMessage): void {
  for (const field of OF_THE_PATH) {
    const word = shownPlainWord(draft[field] ?? '');
    message[field] = word === '' || word === ELLIPSIS ? undefined : word;
  }
}

/** Whether a path is one of the Kubernetes API: other programs have paths that look like it, `/api/v1/keys/…`. */
function isOfTheApi({ apiGroup, apiVersion, resource }: Draft): boolean {
  if (resource === undefined || apiVersion === undefined || apiGroup === undefined) return true;
  if (apiVersion !== 'v1' && !VERSION.test(apiVersion)) return false;
  if (apiGroup === '') return CORE.has(resource);
  return (apiGroup.includes('.') || GROUPS.has(apiGroup)) && SEGMENT.test(resource);
}

const CORE: ReadonlySet<string> = new Set(CORE_RESOURCES);
const GROUPS: ReadonlySet<string> = new Set(UNDOTTED_GROUPS);
/** apimachinery, pkg/version. */
const VERSION = /^(?:v\d{1,5}(?:(?:alpha|beta)\d{1,5})?)?$/;
const OF_THE_PATH = ['apiGroup', 'resource', 'subresource', 'namespace', 'name'] as const;
