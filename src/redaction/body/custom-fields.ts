// Decides which strings of custom resources are shown, whose types are unknown: identities, references by their shape, conditions without
// messages, one-word states, times.

import { isRecord } from '../../core/record.js';
import { isPlainWord } from '../words/plain-word.js';
import { type CustomArea, type FieldPlace, INSIDE, kubernetesPlan, messagePlace, TypePlan } from './field-places.js';
import { type FieldRow, fits } from './rows.js';
import { CUSTOM_ROWS } from './tables.js';

/** Rows of strings that their shape alone identifies. */
const SHAPES = CUSTOM_ROWS.slice(0, 3);

/** The row of a string by its shape. */
export function customRow(text: string): FieldRow {
  if (text.length > LONGEST_SHAPE) return CUSTOM_OTHER;
  return SHAPES.find(({ showing }) => fits(showing as 'time' | 'timespan' | 'amount', text)) ?? CUSTOM_OTHER;
}

export const CUSTOM_OTHER = CUSTOM_ROWS[CUSTOM_ROWS.length - 1];

/** The place of a member of a custom resource. @param value the member; undefined if a pointer names it. */
export function customMember(area: CustomArea, name: string, value: unknown): FieldPlace {
  const known = AREAS[area].get(name);
  if (known !== undefined) return known;
  const named = NAMED.get(name);
  if (named !== undefined && (value === undefined || typeof value === 'string')) return named;
  if (area === 'root' && name === 'metadata') return messagePlace(kubernetesPlan(OBJECT_META)) ?? INSIDE;
  // Rollouts, Knative Services, and the data of a ControllerRevision have a Pod template.
  if (name === 'template' && isPodTemplate(value)) return messagePlace(kubernetesPlan(POD_TEMPLATE)) ?? INSIDE;
  return INSIDE;
}

/** The place of an object inside a custom resource, by its shape. */
export function customObject(
  place: FieldPlace & { at: 'custom' },
  value: Readonly<Record<string, unknown>>,
): FieldPlace {
  const { kind, name } = value;
  const isReference =
    typeof kind === 'string' && KIND.test(kind) && isPlainWord(kind) && typeof name === 'string' && NAME.test(name);
  if (place.area !== 'inside') return place;
  if (isReference) return REFERENCE;
  return isRequirement(value) ? (messagePlace(kubernetesPlan(REQUIREMENT)) ?? place) : place;
}

/** A requirement on a label: a key, an operator and values (k8s.io/api/core/v1, NodeSelectorRequirement). */
function isRequirement({ key, operator }: Readonly<Record<string, unknown>>): boolean {
  return typeof key === 'string' && key !== '' && typeof operator === 'string' && OPERATORS.has(operator);
}

function isPodTemplate(value: unknown): boolean {
  const spec = isRecord(value) ? value['spec'] : undefined;
  const containers = isRecord(spec) ? spec['containers'] : undefined;
  return Array.isArray(containers) && containers.length > 0;
}

/** Members whose rows begin with this name of an area or type. */
function membersOf(prefix: string): Map<string, FieldPlace> {
  const start = `custom.${prefix}.`;
  return new Map(
    CUSTOM_ROWS.filter(({ field }) => field.startsWith(start)).map((row): [string, FieldPlace] => [
      row.field.slice(start.length),
      { at: 'leaf', row },
    ]),
  );
}

function customType(name: string): FieldPlace {
  return { at: 'message', type: new TypePlan(`custom.${name}`, () => membersOf(name)) };
}

/** Names of objects, users and groups; RBAC's have colons (apimachinery, api/validation). */
const NAME = /^[a-z0-9][a-z0-9.:@_/-]{0,252}$/;
const KIND = /^[A-Z][A-Za-z0-9]{1,62}$/;
const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
const REQUIREMENT = 'k8s.io.api.core.v1.NodeSelectorRequirement';
/** Characters of a time, the longest of the shapes. */
const LONGEST_SHAPE = 40;
const NAMED = membersOf('named');
const REFERENCE = customType('reference');
const OBJECT_META = 'k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const POD_TEMPLATE = 'k8s.io.api.core.v1.PodTemplateSpec';
const AREAS: Readonly<Record<CustomArea, ReadonlyMap<string, FieldPlace>>> = {
  root: membersOf('root').set('status', { at: 'custom', area: 'status' }).set('items', { at: 'custom', area: 'root' }),
  status: membersOf('status')
    .set('conditions', customType('conditions'))
    .set('health', { at: 'custom', area: 'verdict' })
    .set('sync', { at: 'custom', area: 'verdict' }),
  verdict: membersOf('verdict'),
  inside: new Map(),
};
