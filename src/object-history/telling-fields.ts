// Picks the fields of an object's body that tell people how it is: its phase, its conditions, where it runs, what is ready.

import type { ShownValue } from '../kubernetes/messages/message.js';
import { EMPTY, type Shown, sentence } from '../redaction/shown.js';

export type ObjectPart = (typeof PARTS)[number];

type BodyFields = Readonly<Record<string, ShownValue>>;

/** Name of a field, as it stands in a label → its value in few words; empty: the name says it all. */
export type TellingFields = ReadonlyMap<string, { readonly name: Shown; readonly value: Shown }>;

/**
 * @param body decoded, and such that may be shown: of an object, or of a patch, which has a part of its fields.
 * @param parts only of these.
 */
export function tellingFields(body: ShownValue | undefined, parts: readonly ObjectPart[] = PARTS): TellingFields {
  const found = new Map<string, { name: Shown; value: Shown }>();
  const add: AddField = (name, value) => {
    if (value !== undefined && found.size < MAX_FIELDS && value.length <= MAX_VALUE) found.set(name, { name, value });
  };
  for (const { part, read } of ROWS) if (parts.includes(part)) read(recordOf(body), add);
  return found;
}

type AddField = (name: Shown, value: Shown | undefined) => void;

interface TellingRow {
  readonly part: ObjectPart;
  readonly read: (body: BodyFields, add: AddField) => void;
}

/** A field by its path, as a text or a number. */
function field(name: string, ...path: readonly [ObjectPart, ...string[]]): TellingRow {
  const shownAs = sentence([name]);
  return { part: path[0], read: (body, add) => add(shownAs, textOf(at(body, path))) };
}

/** The more telling first. */
const ROWS: readonly TellingRow[] = [
  {
    part: 'metadata',
    read: (body, add) => {
      if (at(body, ['metadata', 'deletionTimestamp']) !== undefined) add(sentence`deletionTimestamp`, EMPTY);
    },
  },
  field('phase', 'status', 'phase'),
  // Of a Binding, which has the node as its target.
  {
    part: 'spec',
    read: (body, add) =>
      add(sentence`nodeName`, textOf(at(body, ['spec', 'nodeName']) ?? at(body, ['target', 'name']))),
  },
  field('replicas', 'spec', 'replicas'),
  field('holder', 'spec', 'holderIdentity'),
  field('volumeName', 'spec', 'volumeName'),
  field('unschedulable', 'spec', 'unschedulable'),
  field('suspend', 'spec', 'suspend'),
  { part: 'spec', read: images },
  { part: 'status', read: (body, add) => containers(at(body, ['status', 'initContainerStatuses']), add) },
  { part: 'status', read: (body, add) => containers(at(body, ['status', 'containerStatuses']), add) },
  { part: 'status', read: conditions },
  field('ready', 'status', 'readyReplicas'),
  field('available', 'status', 'availableReplicas'),
  field('updated', 'status', 'updatedReplicas'),
  field('created', 'status', 'replicas'),
  field('ready', 'status', 'numberReady'),
  field('active', 'status', 'active'),
  field('succeeded', 'status', 'succeeded'),
  field('failed', 'status', 'failed'),
];

/** `image of web`. */
function images(body: BodyFields, add: AddField): void {
  const list = at(body, ['spec', 'template', 'spec', 'containers']) ?? at(body, ['spec', 'containers']);
  for (const container of recordsOf(list)) {
    const name = textOf(container['name']);
    if (name !== undefined) add(sentence`image of ${name}`, textOf(container['image']));
  }
}

function conditions(body: BodyFields, add: AddField): void {
  for (const condition of recordsOf(at(body, ['status', 'conditions']))) {
    const type = textOf(condition['type']);
    if (type !== undefined) add(type, textOf(condition['status']));
  }
}

/** The state of each container: the reason why it waits or has ended, or `running`. */
function containers(list: ShownValue | undefined, add: AddField): void {
  for (const container of recordsOf(list)) {
    const name = textOf(container['name']);
    const [state] = Object.keys(recordOf(container['state']));
    if (name === undefined || state === undefined) continue;
    const known = STATES.get(state);
    if (known !== undefined) add(name, textOf(at(container, ['state', state, 'reason'])) ?? known);
  }
}

function at(body: BodyFields, path: readonly string[]): ShownValue | undefined {
  let value: ShownValue | undefined = body;
  for (const name of path) {
    const fields: BodyFields = recordOf(value);
    value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  }
  return value === null ? undefined : value;
}

function textOf(value: ShownValue | undefined): Shown | undefined {
  if (typeof value === 'string') return value === '' || REDACTED.test(value) ? undefined : value;
  if (typeof value === 'number') return sentence`${value}`;
  if (typeof value === 'boolean') return value ? sentence`true` : sentence`false`;
  return undefined;
}

function recordOf(value: ShownValue | undefined): BodyFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as BodyFields) : {};
}

function recordsOf(value: ShownValue | undefined): readonly BodyFields[] {
  return Array.isArray(value) ? (value as readonly ShownValue[]).map(recordOf) : [];
}

const PARTS = ['metadata', 'spec', 'status'] as const;
const STATES: ReadonlyMap<string, Shown> = new Map([
  ['waiting', sentence`waiting`],
  ['running', sentence`running`],
  ['terminated', sentence`terminated`],
]);
/** A value that the redaction replaced tells nothing. */
const REDACTED = /^REDACTED|…/;
/** Limit: fields of one object: a Pod has some five conditions and a handful of containers. */
const MAX_FIELDS = 100;
/** Limit: characters of a value: an image has some fifty; what is longer does not fit a label. */
const MAX_VALUE = 100;
