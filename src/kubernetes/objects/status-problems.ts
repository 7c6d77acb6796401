// What an object's status says that went wrong, as a table: a kind that can say so is a row more. Knows fields of
// k8s.io/api (core/v1, apps/v1, batch/v1, storage/v1); not who says it, nor where it is told.

import { boundedName } from './bounded.js';
import { type Picked, pick, textIn, type Wanted } from './pick.js';

/** One thing that is wrong with an object, in the words of its status. */
export interface StatusProblem {
  /** What of it: `container web`, `init container wait`, `condition Failed`, `phase`, `attach`. */
  readonly of: string;
  /** `waiting`, `terminated`, `failed`; of a condition its status (`False`), of a phase the phase (`Failed`). */
  readonly state: string;
  /** In one word of whoever found it (`CrashLoopBackOff`, `OOMKilled`), or as its message; empty: none is said. */
  readonly reason: string;
  /** Of what terminated. */
  readonly exitCode?: number;
}

/**
 * @param bytes an object, or a merge patch of one; after content decoding, borrowed; may be cut.
 * @param contentType as for `carriedObject`. @param resource `pods`. Of one without a row nothing is told.
 */
export function statusProblemsOf(bytes: Uint8Array, contentType: string, resource: string): readonly StatusProblem[] {
  const row = ROWS.get(resource);
  if (row === undefined) return NONE;
  const status = pick(bytes, contentType, { status: [row.field, { one: row.status }] })?.['status'];
  if (status === undefined) return NONE;
  const problems = row.read(status as Picked).slice(0, MAX_PROBLEMS);
  return problems.map((one) => ({ ...one, of: boundedName(one.of), reason: boundedName(one.reason) }));
}

/** Can a resource's status say that something is wrong? */
export function hasStatusProblems(resource: string | undefined): boolean {
  return resource !== undefined && ROWS.has(resource);
}

interface StatusProblemRow {
  /** Number of its `status` in protobuf. */
  readonly field: number;
  /** Wanted of that. */
  readonly status: Wanted;
  read(status: Picked): readonly StatusProblem[];
}

const NONE: readonly StatusProblem[] = [];
const NO_REASONS: ReadonlyMap<string, string> = new Map();

const TERMINATED: Wanted = { exitCode: [1, 'number'], reason: [3, 'text'] };
const STATE: Wanted = { waiting: [1, { one: { reason: [1, 'text'] } }], terminated: [3, { one: TERMINATED }] };
const CONTAINERS: Wanted = { name: [1, 'text'], state: [2, { one: STATE }], lastState: [3, { one: STATE }] };

const REASON_4: Wanted = { reason: [4, 'text'] };
const REASON_5: Wanted = { reason: [5, 'text'] };
const VOLUME_ERROR = { one: { message: [2, 'text'] } } as const satisfies { readonly one: Wanted };

/** Lists of a Pod's containers, and what each of them is called. */
const CONTAINER_LISTS = [
  ['initContainerStatuses', 'init container'],
  ['containerStatuses', 'container'],
  ['ephemeralContainerStatuses', 'ephemeral container'],
] as const;

/** @param place of the conditions in the status. @param why of one: its reason or message, whose numbers differ. */
function conditions(place: number, why: Wanted): Wanted {
  return { conditions: [place, { many: { type: [1, 'text'], status: [2, 'text'], ...why } }] };
}

/**
 * @param bad `Failed True`: types and statuses that say that something is wrong. @param because types that do so with one
 * reason alone, and the status that they have then: a patch leaves out what stays as it is.
 */
function conditionsIn(status: Picked, bad: ReadonlySet<string>, because = NO_REASONS): StatusProblem[] {
  return listIn(status, 'conditions').flatMap((one) => {
    const [type, state, reason, message] = ['type', 'status', 'reason', 'message'].map((field) => textIn(one, field));
    const told = bad.has(`${type} ${state}`) ? state : because.get(`${type} ${reason}`);
    return told === undefined ? [] : [{ of: `condition ${type}`, state: told, reason: reason || message }];
  });
}

/** @param field of the status in protobuf. */
function ofConditions(field: number, place: number, why: Wanted, ...bad: string[]): StatusProblemRow {
  const wrong = new Set(bad);
  return { field, status: conditions(place, why), read: (status) => conditionsIn(status, wrong) };
}

const ROWS: ReadonlyMap<string, StatusProblemRow> = new Map<string, StatusProblemRow>([
  [
    'pods',
    {
      field: 3,
      status: {
        phase: [1, 'text'],
        ...conditions(2, REASON_5),
        reason: [4, 'text'],
        containerStatuses: [8, { many: CONTAINERS }],
        initContainerStatuses: [10, { many: CONTAINERS }],
        ephemeralContainerStatuses: [13, { many: CONTAINERS }],
      },
      read: (status) => [
        ...phaseIn(status),
        ...CONTAINER_LISTS.flatMap(([field, what]) => listIn(status, field).flatMap((one) => containerIn(one, what))),
        ...conditionsIn(status, POD_CONDITIONS, POD_REASONS),
      ],
    },
  ],
  ['deployments', ofConditions(3, 6, REASON_4, 'Progressing False', 'Progressing Unknown', 'ReplicaFailure True')],
  ['replicasets', ofConditions(3, 6, REASON_4, 'ReplicaFailure True')],
  [
    'persistentvolumeclaims',
    ofConditions(3, 4, REASON_5, 'ControllerResizeError True', 'NodeResizeError True', 'ModifyVolumeError True'),
  ],
  [
    'volumeattachments',
    {
      field: 3,
      status: { attachError: [3, VOLUME_ERROR], detachError: [4, VOLUME_ERROR] },
      read: (status) => [
        ...failureOf('attach', oneIn(status, 'attachError')),
        ...failureOf('detach', oneIn(status, 'detachError')),
      ],
    },
  ],
  [
    'certificatesigningrequests',
    {
      field: 3,
      status: { conditions: [1, { many: { type: [1, 'text'], status: [6, 'text'], message: [3, 'text'] } }] },
      read: (status) => conditionsIn(status, SIGNING),
    },
  ],
  ['jobs', ofConditions(3, 1, REASON_5, 'Failed True', 'Suspended True')],
  ['horizontalpodautoscalers', ofConditions(3, 6, REASON_4, 'AbleToScale False', 'ScalingActive False')],
  // What is left in a Namespace that is to go, its conditions' messages say and not their reasons (pkg/controller/namespace).
  [
    'namespaces',
    ofConditions(
      3,
      2,
      { message: [6, 'text'] },
      ...[
        'NamespaceContentRemaining True',
        'NamespaceFinalizersRemaining True',
        'NamespaceDeletionContentFailure True',
      ],
      ...['NamespaceDeletionDiscoveryFailure True', 'NamespaceDeletionGroupVersionParsingFailure True'],
    ),
  ],
  [
    'nodes',
    ofConditions(
      3,
      4,
      REASON_5,
      ...['Ready False', 'Ready Unknown', 'MemoryPressure True', 'DiskPressure True', 'PIDPressure True'],
      'NetworkUnavailable True',
    ),
  ],
]);

/** A kubelet that does not take or keep a Pod says why (`Evicted`, `OutOfcpu`); one whose containers failed does not. */
function phaseIn(status: Picked): StatusProblem[] {
  const [state, reason] = ['phase', 'reason'].map((field) => textIn(status, field));
  return state === 'Failed' && reason !== '' ? [{ of: 'phase', state, reason }] : [];
}

/** What a driver said. */
function failureOf(of: string, error: Picked): StatusProblem[] {
  const reason = textIn(error, 'message');
  return reason === '' ? [] : [{ of, state: 'failed', reason }];
}

/** What it is now, and how it ended before: a restart is told with the state that follows, never alone. */
function containerIn(container: Picked, what: string): StatusProblem[] {
  const of = `${what} ${textIn(container, 'name')}`;
  const [now, before] = ['state', 'lastState'].map((field) => oneIn(container, field));
  const waits = textIn(oneIn(now, 'waiting'), 'reason');
  const ended = [now, before].flatMap((state) => endOf(oneIn(state, 'terminated'), of)).slice(0, 1);
  return waits === '' || BEGINS.has(waits) ? ended : [{ of, state: 'waiting', reason: waits }, ...ended];
}

function endOf(terminated: Picked, of: string): StatusProblem[] {
  const reason = textIn(terminated, 'reason');
  const exitCode = typeof terminated['exitCode'] === 'number' ? terminated['exitCode'] : 0;
  if (exitCode === 0 && (reason === '' || reason === 'Completed')) return [];
  return [{ of, state: 'terminated', reason, exitCode }];
}

function oneIn(picked: Picked, name: string): Picked {
  return (picked[name] ?? {}) as Picked;
}

function listIn(picked: Picked, name: string): readonly Picked[] {
  return (picked[name] ?? []) as readonly Picked[];
}

/** Reasons of a container that has yet to start (pkg/kubelet/kubelet_pods.go). */
const BEGINS = new Set(['ContainerCreating', 'PodInitializing']);
/**
 * That it has to go (KEP-3329), may not be scheduled yet (KEP-3521), waits for somebody else's word (KEP-580), cannot get
 * the resources that it is to have now (KEP-1287). That it is not ready for another reason is how each begins.
 */
const POD_CONDITIONS = new Set(['DisruptionTarget True', 'PodResizePending True']);
const POD_REASONS: ReadonlyMap<string, string> = new Map([
  ['PodScheduled SchedulingGated', 'False'],
  ['Ready ReadinessGatesNotReady', 'False'],
  ['PodResizeInProgress Error', 'True'],
]);
/** Their reasons are who says so (`KubectlDeny`) or all alike, their messages tell (pkg/controller/certificates/signer). */
const SIGNING = new Set(['Denied True', 'Failed True']);
/** Of one object; a Pod has a few containers. */
const MAX_PROBLEMS = 16;
