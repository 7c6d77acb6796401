// Describes the place of a value in a body: a field of a known type, or something whose strings no table lists. Message types are compiled
// once, each into a map from the name of a member to its place.

import type { FieldType, Table } from '../../protobuf/table.js';
import { criTable, etcdTable, kubernetesTable } from '../../protobuf/tables.js';
import type { FieldRow } from './rows.js';
import { CRI_BY_FIELD, ETCD_BY_FIELD, KUBERNETES_BY_FIELD, OBJECT_ROWS, SPECIAL_BY_TYPE } from './tables.js';

export type FieldPlace =
  /** A string, or a list of them. @param key of the label or annotation whose value it is. */
  | { readonly at: 'leaf'; readonly row: FieldRow; readonly key?: string }
  /** A message of a table, or a list of them. */
  | { readonly at: 'message'; readonly type: TypePlan }
  /** A map whose keys are names. */
  | { readonly at: 'map'; readonly element: FieldPlace }
  /** An object that holds its own kind; `otherwise` applies if it does not. */
  | { readonly at: 'object'; readonly otherwise: FieldPlace }
  /** Members are listed by their names alone, at any depth. */
  | { readonly at: 'members'; readonly rows: ReadonlyMap<string, FieldRow> }
  /** A custom resource, and parts of it. */
  | { readonly at: 'custom'; readonly area: CustomArea };

export type CustomArea = 'root' | 'status' | 'verdict' | 'inside';

/** A message type with the places of its members, computed on first use. */
export class TypePlan {
  readonly name: string;
  readonly #make: () => ReadonlyMap<string, FieldPlace>;
  #members: ReadonlyMap<string, FieldPlace> | undefined;

  constructor(name: string, make: () => ReadonlyMap<string, FieldPlace>) {
    this.name = name;
    this.#make = make;
  }

  /** Members by their names in JSON. */
  get members(): ReadonlyMap<string, FieldPlace> {
    this.#members ??= this.#make();
    return this.#members;
  }

  /** Whether the table has this member; directives of patches name one. */
  isListed(name: string): boolean {
    const directive = DIRECTIVE.exec(name);
    return this.members.has(directive === null ? name : directive[1]) || OBJECT_PLACES.has(name);
  }

  /** The place of a member, even if no table lists it: from a newer release, or a directive of a patch. */
  member(name: string): FieldPlace {
    const known = this.members.get(name) ?? OBJECT_PLACES.get(name);
    if (known !== undefined) return known;
    const directive = DIRECTIVE.exec(name);
    return (directive !== null ? this.members.get(directive[1]) : undefined) ?? INSIDE;
  }
}

/** A protobuf table with the rows that apply to its strings. */
class TypePlans {
  readonly #table: () => Table;
  readonly #rows: ReadonlyMap<string, FieldRow>;
  readonly #plans = new Map<string, TypePlan>();

  constructor(table: () => Table, rows: ReadonlyMap<string, FieldRow>) {
    this.#table = table;
    this.#rows = rows;
  }

  /** @param name in full: `k8s.io.api.core.v1.Pod`. @returns undefined if the table has no such message. */
  plan(name: string): TypePlan | undefined {
    const known = this.#plans.get(name);
    if (known !== undefined) return known;
    if (this.#table().message(name) === undefined) return undefined;
    const plan = new TypePlan(name, () => this.#members(name));
    this.#plans.set(name, plan);
    return plan;
  }

  #members(name: string): ReadonlyMap<string, FieldPlace> {
    const names = this.#table().section<Record<string, Record<string, string>>>('jsonNames')[name] ?? {};
    const members = new Map<string, FieldPlace>();
    for (const field of this.#table().message(name)?.fields ?? []) {
      const json = names[field.name] ?? field.name;
      if (json !== '') members.set(json, this.#place(name, json, field));
      // JSON writes these members among those of the parent.
      else for (const [inner, place] of this.plan(field.type)?.members ?? []) members.set(inner, place);
    }
    return members;
  }

  #place(owner: string, json: string, field: FieldType): FieldPlace {
    const place = this.#single(owner, json, field);
    const isWhole = place.at === 'leaf' && MAPS.has(place.row.showing);
    return field.label === 'map' && !isWhole ? { at: 'map', element: place } : place;
  }

  #single(owner: string, json: string, field: FieldType): FieldPlace {
    if (field.kind === 'enum') return { at: 'leaf', row: ENUM_ROW };
    if (field.kind === 'message') {
      const special = SPECIAL_BY_TYPE.get(lastPart(field.type));
      if (special !== undefined) return { at: 'leaf', row: special };
      if (field.type === JSON_VALUE) return INSIDE;
      if (field.type === RAW_EXTENSION) return { at: 'object', otherwise: INSIDE };
      const type = this.plan(SCHEMAS.test(field.type) ? field.type.replace(SCHEMAS, 'JSONSchemaProps') : field.type);
      return type === undefined ? INSIDE : { at: 'message', type };
    }
    if (field.type !== 'string' && field.type !== 'bytes') return { at: 'leaf', row: NUMBER_ROW };
    const row = this.#rows.get(`${lastPart(owner)}.${json}`) ?? this.#rows.get(json) ?? UNDECIDED;
    return row.showing === 'object' ? { at: 'object', otherwise: INSIDE } : { at: 'leaf', row };
  }
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

export const ENUM_ROW: FieldRow = { field: '(enum)', showing: 'word', reason: 'an enumerated value of the API' };
export const NUMBER_ROW: FieldRow = { field: '(number)', showing: 'number', reason: 'a number too large for JSON' };
export const LABEL_ROW: FieldRow = {
  field: 'labels[*]',
  showing: 'label',
  reason: 'a label that Kubernetes or a widespread tool defines, or a plain word',
};
/** For a field without a row; a test ensures that there is none. */
const UNDECIDED: FieldRow = { field: '(no row)', showing: 'none', reason: 'not decided' };
/** A custom resource, and its parts that no table lists. */
export const CUSTOM_ROOT: FieldPlace = { at: 'custom', area: 'root' };
export const INSIDE: FieldPlace = { at: 'custom', area: 'inside' };

const OBJECT_PLACES = new Map(OBJECT_ROWS.map((row): [string, FieldPlace] => [row.field, { at: 'leaf', row }]));
/** Rows that apply to a whole map. */
const MAPS: ReadonlySet<string> = new Set(['labels', 'annotations']);
/** Defaults and examples of a schema. */
const JSON_VALUE = 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON';
const RAW_EXTENSION = 'k8s.io.apimachinery.pkg.runtime.RawExtension';
const SCHEMAS = /JSONSchemaPropsOr(?:Array|Bool|StringArray)$/;
/** kubectl's patches: `$setElementOrder/containers`, `$deleteFromPrimitiveList/finalizers` (strategic-merge-patch.md). */
const DIRECTIVE = /^\$(?:setElementOrder|deleteFromPrimitiveList)\/(.+)$/;

/** @param name in full. @returns undefined if the table of Kubernetes has no such message. */
export function kubernetesPlan(name: string): TypePlan | undefined {
  return KUBERNETES.plan(name);
}

/** The place of a message of a gRPC call: `runtime.v1.CreateContainerRequest`, `etcdserverpb.RangeRequest`. */
export function placeOfMessage(name: string): FieldPlace | undefined {
  return messagePlace((name.startsWith('runtime.v1.') ? CRI : ETCD).plan(name));
}

export function messagePlace(type: TypePlan | undefined): FieldPlace | undefined {
  return type === undefined ? undefined : { at: 'message', type };
}

const KUBERNETES = new TypePlans(kubernetesTable, KUBERNETES_BY_FIELD);
const CRI = new TypePlans(criTable, CRI_BY_FIELD);
const ETCD = new TypePlans(etcdTable, ETCD_BY_FIELD);
