// Names a run's tracing instance and probes, and finds those that killed runs left in the kernel.

/** A handshake, a record in one direction, or a header block. */
export type EventName = 'keylog' | 'encrypt' | 'decrypt' | 'headers' | 'stdheaders';

/** Names of one run's tracing instance and probes. */
export interface RunNames {
  readonly instance: string;
  /** `GROUP/NAME` of its nth probe. @param name what the probe reports. */
  event(index: number, name?: EventName): string;
}

/** @param run identifies the run: letters, digits and `_`. */
export function runNames(run: string): RunNames {
  return { instance: `${PREFIX}${run}`, event: (index, name = 'keylog') => `${GROUP}/${name}_${run}_${index}` };
}

/** @returns those of all instances that a run of kubeseq created. */
export function ownInstances(instances: readonly string[]): string[] {
  return instances.filter((name) => name.startsWith(PREFIX) && RUN.test(name.slice(PREFIX.length)));
}

/**
 * Probes of runs whose instance is gone. Probes set by hand, as `keys --print` shows them, are among them: the kernel refuses to
 * remove an enabled one.
 *
 * @param events text of `uprobe_events`.
 * @param instances those that still exist.
 * @returns `GROUP/NAME` of each.
 */
export function leftoverEvents(events: string, instances: readonly string[]): string[] {
  const alive = new Set(ownInstances(instances).map((name) => name.slice(PREFIX.length)));
  return [...events.matchAll(/^p:(kubeseq\/(\S+)) /gm)]
    .filter(([, , name]) => !alive.has(OWN_EVENT.exec(name)?.[1] ?? ''))
    .map(([, event]) => event);
}

const PREFIX = 'kubeseq-';
const GROUP = 'kubeseq';
const OWN_EVENT = /^(?:keylog|encrypt|decrypt|headers|stdheaders)_(\w+)_\d+$/;
const RUN = /^\w{1,32}$/;
