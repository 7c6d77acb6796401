// Finds fights: two clients write one object in turn, and each sets a field back to what it was before the other's write.

import { LruMap } from '../../core/collections/bounded.js';
import { isRecord } from '../../core/record.js';
import type { Message, ObjectLife, Participant, ShownValue } from '../../kubernetes/messages/message.js';
import { hasObject } from '../../kubernetes/objects/object-info.js';
import { changesBetween } from '../../object-history/changes.js';
import { objectWords } from '../request-words.js';
import { findingOf, MAX_FINDINGS, Recurrence, type UsageFinding } from './finding.js';

interface WrittenObject {
  resourceVersion: string | null;
  writer: Participant;
  /** JSON of the object after the last write, once two clients wrote it. */
  body: string | null;
  /** By path: how the field changed last. */
  readonly fields: Map<string, FieldTurns>;
}

interface FieldTurns {
  writer: Participant;
  before: string;
  after: string;
  turns: number;
  repetition: Recurrence;
  fight: Fight | null;
}

interface Fight {
  readonly clients: readonly Participant[];
  readonly request: Message;
  readonly path: string;
  readonly values: readonly string[];
  readonly repetition: Recurrence;
}

export class Fights {
  readonly #turns: number;
  readonly #objects = new LruMap<ObjectLife, WrittenObject>(MAX_OBJECTS, 'writers of objects');
  readonly #fights: Fight[] = [];

  /** @param turns how often in turn a change is undone. */
  constructor(turns: number) {
    this.#turns = turns;
  }

  observe(request: Message, { about, object, status = 0, details }: Message): void {
    const { verb, name, from: client, dryRun } = request;
    if ((verb !== 'update' && verb !== 'patch') || name === undefined || dryRun === true || status >= 300) return;
    if (about === undefined || !hasObject(object)) return;
    const { resourceVersion = null } = object;
    let known = this.#objects.get(about);
    if (known === undefined) {
      known = { resourceVersion, writer: client, body: null, fields: new Map() };
      this.#objects.set(about, known);
      return;
    }
    const isOtherWriter = known.writer.id !== client.id;
    known.writer = client;
    if (known.body === null && !isOtherWriter) return;
    // A write that changed nothing.
    if (known.resourceVersion === resourceVersion && known.body !== null) return;
    known.resourceVersion = resourceVersion;
    this.#compare(known, request, details?.body());
  }

  findings(): UsageFinding[] {
    return this.#fights.map(({ clients, request, path, values, repetition }) =>
      findingOf(
        'fight',
        clients,
        `undo each other's change of ${path} in ${objectWords({ ...request, subresource: undefined })}: ${values.join(' and ')}, ${repetition.words}`,
        repetition,
      ),
    );
  }

  #compare(known: WrittenObject, request: Message, written: ShownValue | undefined): void {
    if (!isRecord(written) || '$bytes' in written) return;
    const before: unknown = known.body === null ? null : JSON.parse(known.body);
    const after = request.subresource === 'scale' ? scaled(before, written) : written;
    if (after === null) return;
    const text = textOf(after);
    known.body = text !== null && text.length <= MAX_BODY ? text : null;
    if (before === null) return;
    for (const change of changesBetween(before, after))
      this.#changed(known, request, change.path, valueText(change.before), valueText(change.after));
  }

  #changed(known: WrittenObject, request: Message, path: string, before: string, after: string): void {
    const { from: client, seq, time } = request;
    const field = known.fields.get(path);
    if (field === undefined) {
      if (known.fields.size >= MAX_FIELDS) return;
      const repetition = new Recurrence();
      repetition.add(time, seq);
      known.fields.set(path, { writer: client, before, after, turns: 0, repetition, fight: null });
      return;
    }
    const isUndone = field.writer.id !== client.id && field.before === after && field.after === before;
    if (isUndone && !HAND_OVERS.test(path)) field.turns += 1;
    else {
      field.turns = 0;
      field.repetition = new Recurrence();
      field.fight = null;
    }
    field.repetition.add(time, seq);
    const other = field.writer;
    field.writer = client;
    field.before = before;
    field.after = after;
    if (field.turns < this.#turns || field.fight !== null || this.#fights.length >= MAX_FINDINGS) return;
    const { repetition } = field;
    field.fight = { clients: [other, client], request, path, values: [before, after], repetition };
    this.#fights.push(field.fight);
  }
}

/** A Scale's answer shows the replicas of the object that it is of. */
function scaled(before: unknown, scale: ObjectBody): unknown {
  if (!isRecord(before)) return null;
  const spec = before['spec'];
  const wanted = scale['spec'];
  if (!isRecord(spec) || !isRecord(wanted)) return null;
  return { ...before, spec: { ...spec, replicas: wanted['replicas'] ?? 0 } };
}

type ObjectBody = Readonly<Record<string, unknown>>;

/** null: nested deeper than a stack goes, which no real object is. */
function textOf(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

/** A value as JSON, short enough to be shown; two long values that differ only after that are one. */
function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = textOf(value) ?? '…';
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE - 1)}…`;
}

/**
 * Fields that one component sets and another removes to ask it again, which is how they work together: the node that the scheduler chose for
 * a volume (sig-storage-lib-external-provisioner, controller.go, rescheduleProvisioning).
 */
const HAND_OVERS = /^metadata\.annotations\[volume\.kubernetes\.io\/selected-node\]$/;
/** Limit: objects whose writers are observed; with two of them the last body is kept, some KB. */
const MAX_OBJECTS = 4096;
/** Limit: characters of a body that is kept to compare the next one with: etcd stores 1.5 MiB, usual objects are some KB. */
const MAX_BODY = 262_144;
/** Limit: changed fields of one object that are observed: a status has some dozen. */
const MAX_FIELDS = 64;
/** Limit: characters of a field's value that are compared and shown. */
const MAX_VALUE = 80;
