// Reads texts, numbers and PodSandboxMetadata at paths of field numbers in runtime.v1 messages.

import { RecentMap } from '../../../../core/collections/bounded.js';
import { FieldReader, findField, LENGTH_DELIMITED, VARINT } from '../../../../protobuf/wire.js';

/** @param path field numbers from the top; undefined: there is none. @returns undefined: not there, or empty. */
export function textAt(bytes: Uint8Array, path: readonly number[] | undefined): string | undefined {
  return path === undefined ? undefined : textIn(bytes, 0, bytes.length, path);
}

export function textIn(bytes: Uint8Array, start: number, end: number, path: readonly number[]): string | undefined {
  return findField(FOUND, bytes, start, end, path) ? FOUND.text() || undefined : undefined;
}

export function podAt(bytes: Uint8Array, path: readonly number[] | undefined): PodIdentity | undefined {
  return path === undefined ? undefined : podIn(bytes, 0, bytes.length, path);
}

/** PodSandboxMetadata { name = 1, uid = 2, namespace = 3 } */
export function podIn(bytes: Uint8Array, start: number, end: number, path: readonly number[]): PodIdentity | undefined {
  if (!findField(FOUND, bytes, start, end, path)) return undefined;
  const reader = METADATA.open(bytes, FOUND.start, FOUND.end);
  let name = '';
  let uid = '';
  let namespace = '';
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) name = reader.text();
    else if (reader.field === 2) uid = reader.text();
    else if (reader.field === 3) namespace = reader.text();
  }
  return name === '' ? undefined : { namespace, name, uid };
}

export function numberAt(bytes: Uint8Array, field: number): number {
  return numberIn(bytes, 0, bytes.length, field);
}

/** proto3 leaves 0 out. */
export function numberIn(bytes: Uint8Array, start: number, end: number, field: number): number {
  const reader = METADATA.open(bytes, start, end);
  let value = 0;
  while (reader.next()) if (reader.field === field && reader.type === VARINT) value = reader.int32();
  return value;
}

const FOUND = new FieldReader();
const METADATA = new FieldReader();

export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface ContainerIdentity {
  readonly name: string;
  readonly podSandboxId: string;
  readonly pod: PodIdentity | undefined;
  readonly image: string;
}

export class CriKnown {
  readonly #sandboxes = new RecentMap<string, PodIdentity>(MAX_IDS);
  readonly #containers = new RecentMap<string, ContainerIdentity>(MAX_IDS);

  sandbox(id: string): PodIdentity | undefined {
    return this.#sandboxes.get(id);
  }

  container(id: string): ContainerIdentity | undefined {
    return this.#containers.get(id);
  }

  learnSandbox(id: string, pod: PodIdentity): void {
    if (id === '' || pod.name === '' || this.#sandboxes.has(id)) return;
    this.#sandboxes.set(id, pod);
  }

  learnContainer(id: string, container: ContainerIdentity): void {
    if (id === '' || container.name === '') return;
    const known = this.#containers.get(id);
    if (known !== undefined && (known.pod !== undefined || container.pod === undefined)) return;
    this.#containers.set(id, container);
  }
}

/** Limit: sandboxes, and containers, whose Pod is known: a node runs some hundred Pods at a time, and may start each many times. */
const MAX_IDS = 20_000;
