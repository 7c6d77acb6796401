// Reads the problems that an object's status reports; a further kind is a further row.
// Source: k8s.io/api (core/v1, apps/v1, batch/v1, storage/v1).

import { pick } from './encoding.js';
import { type Field, FieldSet, type Fields, type FieldValues, int, message, messages, string } from './fields.js';
import { boundedName } from './object-info.js';

/** One thing that is wrong with an object, in the words of its status. */
export interface StatusProblem {
  /** What of it: `container web`, `init container wait`, `condition Failed`, `phase`, `attach`. */
  readonly of: string;
  /** `waiting`, `terminated`, `failed`; of a condition its status (`False`), of a phase the phase (`Failed`). */
  readonly state: string;
  /** One word of the component that found it (`CrashLoopBackOff`, `OOMKilled`), or its message; empty: none is given. */
  readonly reason: string;
  /** Of what terminated. */
  readonly exitCode?: number;
}

/**
 * @param bytes an object, or a merge patch of one; after content decoding, borrowed; may be cut.
 * @param contentType as for `carriedObject`. @param resource `pods`; one without a row has no problems.
 */
export function statusProblemsOf(bytes: Uint8Array, contentType: string, resource: string): readonly StatusProblem[] {
  const problems = ROWS.get(resource)?.(bytes, contentType) ?? [];
  return problems.slice(0, MAX_PROBLEMS).map((problem) => {
    return { ...problem, of: boundedName(problem.of), reason: boundedName(problem.reason) };
  });
}

/** Can a resource's status report problems? */
export function hasStatusProblems(resource: string | undefined): boolean {
  return resource !== undefined && ROWS.has(resource);
}

type StatusProblemReader = (bytes: Uint8Array, contentType: string) => readonly StatusProblem[];

/** @param status wanted of its `status`, field 3 of every one of these kinds. */
function row<F extends Fields>(
  status: F,
  read: (status: FieldValues<F>) => readonly StatusProblem[],
): StatusProblemReader {
  const fields = new FieldSet({ status: message(3, status) });
  return (bytes, contentType) => read(pick(bytes, contentType, fields)?.status ?? {});
}

const TERMINATED = { exitCode: int(1), reason: string(3) };
const STATE = { waiting: message(1, { reason: string(1) }), terminated: message(3, TERMINATED) };
const CONTAINER = { name: string(1), state: message(2, STATE), lastState: message(3, STATE) };
const VOLUME_ERROR = { message: string(2) };

/** A condition has its reason or its message, or both. */
interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** @param number of the list in the status. @param why reason or message, whose numbers differ. */
function conditions(number: number, why: { readonly [Name in 'reason' | 'message']?: Field<string> }) {
  return messages(number, { type: string(1), status: string(2), ...why }) as Field<readonly Condition[]>;
}

/**
 * @param bad `Failed True`: types and statuses that are a problem. @param byReason types that are one with one reason alone,
 * and the status that they have then: a patch leaves out what stays as it is.
 */
function conditionsIn(
  list: readonly Condition[] = [],
  bad: ReadonlySet<string>,
  byReason: ReadonlyMap<string, string> = new Map(),
): StatusProblem[] {
  return list.flatMap(({ type = '', status = '', reason = '', message = '' }) => {
    const state = bad.has(`${type} ${status}`) ? status : byReason.get(`${type} ${reason}`);
    return state === undefined ? [] : [{ of: `condition ${type}`, state, reason: reason || message }];
  });
}

function ofConditions(list: Field<readonly Condition[]>, ...bad: string[]): StatusProblemReader {
  const problems = new Set(bad);
  return row({ conditions: list }, (status) => conditionsIn(status.conditions, problems));
}

const REASON_4 = { reason: string(4) };
const REASON_5 = { reason: string(5) };

const ROWS: ReadonlyMap<string, StatusProblemReader> = new Map([
  [
    'pods',
    row(
      {
        phase: string(1),
        conditions: conditions(2, REASON_5),
        reason: string(4),
        containerStatuses: messages(8, CONTAINER),
        initContainerStatuses: messages(10, CONTAINER),
        ephemeralContainerStatuses: messages(13, CONTAINER),
      },
      ({ initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [], ...status }) => [
        ...phaseIn(status),
        ...initContainerStatuses.flatMap((container) => containerIn(container, 'init container')),
        ...containerStatuses.flatMap((container) => containerIn(container, 'container')),
        ...ephemeralContainerStatuses.flatMap((container) => containerIn(container, 'ephemeral container')),
        ...conditionsIn(status.conditions, POD_CONDITIONS, POD_REASONS),
      ],
    ),
  ],
  [
    'deployments',
    ofConditions(conditions(6, REASON_4), 'Progressing False', 'Progressing Unknown', 'ReplicaFailure True'),
  ],
  ['replicasets', ofConditions(conditions(6, REASON_4), 'ReplicaFailure True')],
  [
    'persistentvolumeclaims',
    ofConditions(
      conditions(4, REASON_5),
      'ControllerResizeError True',
      'NodeResizeError True',
      'ModifyVolumeError True',
    ),
  ],
  [
    'volumeattachments',
    row({ attachError: message(3, VOLUME_ERROR), detachError: message(4, VOLUME_ERROR) }, (status) => [
      ...failureOf('attach', status.attachError),
      ...failureOf('detach', status.detachError),
    ]),
  ],
  [
    // Their reasons name the tool (`KubectlDeny`) or are all alike, their messages explain (pkg/controller/certificates/signer).
    'certificatesigningrequests',
    ofConditions(messages(1, { type: string(1), status: string(6), message: string(3) }), 'Denied True', 'Failed True'),
  ],
  ['jobs', ofConditions(conditions(1, REASON_5), 'Failed True', 'Suspended True')],
  ['horizontalpodautoscalers', ofConditions(conditions(6, REASON_4), 'AbleToScale False', 'ScalingActive False')],
  [
    // The messages of its conditions list what is left in a Namespace that is deleted, their reasons do not (pkg/controller/namespace).
    'namespaces',
    ofConditions(
      conditions(2, { message: string(6) }),
      'NamespaceContentRemaining True',
      'NamespaceFinalizersRemaining True',
      'NamespaceDeletionContentFailure True',
      'NamespaceDeletionDiscoveryFailure True',
      'NamespaceDeletionGroupVersionParsingFailure True',
    ),
  ],
  [
    'nodes',
    ofConditions(
      conditions(4, REASON_5),
      'Ready False',
      'Ready Unknown',
      'MemoryPressure True',
      'DiskPressure True',
      'PIDPressure True',
      'NetworkUnavailable True',
    ),
  ],
]);

/** A kubelet that does not admit or keep a Pod gives a reason (`Evicted`, `OutOfcpu`); for one whose containers failed it gives none. */
function phaseIn({ phase = '', reason = '' }: { readonly phase?: string; readonly reason?: string }): StatusProblem[] {
  return phase === 'Failed' && reason !== '' ? [{ of: 'phase', state: phase, reason }] : [];
}

/** @param error in the words of the driver. */
function failureOf(of: string, { message: reason = '' }: FieldValues<typeof VOLUME_ERROR> = {}): StatusProblem[] {
  return reason === '' ? [] : [{ of, state: 'failed', reason }];
}

/** The present state, and how the container ended before: a restart is reported with the state that follows, never alone. */
function containerIn({ name = '', state, lastState }: FieldValues<typeof CONTAINER>, what: string): StatusProblem[] {
  const of = `${what} ${name}`;
  const waits = state?.waiting?.reason ?? '';
  const ended = [state, lastState].flatMap((one) => endOf(one?.terminated, of)).slice(0, 1);
  return waits === '' || BEGINS.has(waits) ? ended : [{ of, state: 'waiting', reason: waits }, ...ended];
}

function endOf({ reason = '', exitCode = 0 }: FieldValues<typeof TERMINATED> = {}, of: string): StatusProblem[] {
  return exitCode === 0 && (reason === '' || reason === 'Completed')
    ? []
    : [{ of, state: 'terminated', reason, exitCode }];
}

/** Reasons of a container that has yet to start (pkg/kubelet/kubelet_pods.go). */
const BEGINS = new Set(['ContainerCreating', 'PodInitializing']);
/**
 * The Pod is being disrupted (KEP-3329), is not to be scheduled yet (KEP-3521), waits for a readiness gate (KEP-580), cannot
 * get the resources of its resize (KEP-1287). Not ready for another reason is how each Pod begins.
 */
const POD_CONDITIONS = new Set(['DisruptionTarget True', 'PodResizePending True']);
const POD_REASONS: ReadonlyMap<string, string> = new Map([
  ['PodScheduled SchedulingGated', 'False'],
  ['Ready ReadinessGatesNotReady', 'False'],
  ['PodResizeInProgress Error', 'True'],
]);
/** Limit: problems in one status; a Pod has a few containers. */
const MAX_PROBLEMS = 16;
