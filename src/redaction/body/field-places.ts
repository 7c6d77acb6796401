// Where a value stands in a body: in a field of a known type, or in something whose strings no table knows. Message types
// are compiled once, each into a map from the name of a member to its place.

import type { FieldType, Table } from '../../protobuf/table.js';
import { OBJECT_ROWS, SPECIAL_BY_TYPE } from './kubernetes-fields.js';
import type { FieldRow } from './rows.js';

export type FieldPlace =
  /** A string, or a list of them. @param key of the label or annotation that it is the value of. */
  | { readonly at: 'leaf'; readonly row: FieldRow; readonly key?: string }
  /** A message of a table, or a list of them. */
  | { readonly at: 'message'; readonly type: TypePlan }
  /** A map whose keys are names. */
  | { readonly at: 'map'; readonly element: FieldPlace }
  /** An object that says itself which kind it is; `otherwise` where it does not. */
  | { readonly at: 'object'; readonly otherwise: FieldPlace }
  /** Members are known by their names alone, however deep. */
  | { readonly at: 'members'; readonly rows: ReadonlyMap<string, FieldRow> }
  /** A custom resource, and parts of it. */
  | { readonly at: 'custom'; readonly area: CustomArea };

export type CustomArea = 'root' | 'status' | 'verdict' | 'inside';

/** A message type with the places of its members, worked out when the first of them is asked for. */
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

  /** The place of a member, also of one that no table has: a newer release, a directive of a patch. */
  member(name: string): FieldPlace {
    const known = this.members.get(name) ?? OBJECT_PLACES.get(name);
    if (known !== undefined) return known;
    const directive = DIRECTIVE.exec(name);
    return (directive !== null ? this.members.get(directive[1]) : undefined) ?? INSIDE;
  }
}

/** A table of protobuf with the rows that judge its strings. */
export class TypePlans {
  readonly #table: Table;
  readonly #rows: ReadonlyMap<string, FieldRow>;
  readonly #plans = new Map<string, TypePlan>();

  constructor(table: Table, rows: ReadonlyMap<string, FieldRow>) {
    this.#table = table;
    this.#rows = rows;
  }

  /** @param name in full: `k8s.io.api.core.v1.Pod`. @returns undefined where the table has no such message. */
  plan(name: string): TypePlan | undefined {
    const known = this.#plans.get(name);
    if (known !== undefined) return known;
    if (this.#table.message(name) === undefined) return undefined;
    const plan = new TypePlan(name, () => this.#members(name));
    this.#plans.set(name, plan);
    return plan;
  }

  #members(name: string): ReadonlyMap<string, FieldPlace> {
    const names = this.#table.section<Record<string, Record<string, string>>>('jsonNames')[name] ?? {};
    const members = new Map<string, FieldPlace>();
    for (const field of this.#table.message(name)?.fields ?? []) {
      const json = names[field.name] ?? field.name;
      if (json !== '') members.set(json, this.#place(name, json, field));
      // Members that JSON writes among those of the parent.
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
/** Of a field of a type that has no row; the test of the tables allows none. */
const UNDECIDED: FieldRow = { field: '(no row)', showing: 'none', reason: 'nobody decided' };
/** A custom resource, and what in it no table knows. */
export const CUSTOM_ROOT: FieldPlace = { at: 'custom', area: 'root' };
export const INSIDE: FieldPlace = { at: 'custom', area: 'inside' };

const OBJECT_PLACES = new Map(OBJECT_ROWS.map((row): [string, FieldPlace] => [row.field, { at: 'leaf', row }]));
/** Rows of which one judges a whole map. */
const MAPS: ReadonlySet<string> = new Set(['labels', 'annotations']);
/** Defaults and examples of a schema. */
const JSON_VALUE = 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON';
const RAW_EXTENSION = 'k8s.io.apimachinery.pkg.runtime.RawExtension';
const SCHEMAS = /JSONSchemaPropsOr(?:Array|Bool|StringArray)$/;
/** kubectl's patches: `$setElementOrder/containers`, `$deleteFromPrimitiveList/finalizers` (strategic-merge-patch.md). */
const DIRECTIVE = /^\$(?:setElementOrder|deleteFromPrimitiveList)\/(.+)$/;
