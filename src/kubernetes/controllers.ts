// What the controllers of the controller manager listen to, as a table: a shared informer hears for all of them, but a
// controller is woken by its own kinds alone. Knows event handlers of pkg/controller; what is not listed may be woken by
// anything that its process heard.

export interface Listening {
  /** Resources whose events wake it; null: all. */
  readonly resources: ReadonlySet<string> | null;
  /** What it changed itself wakes it too: the collector goes on when the owner that it deleted is gone. */
  readonly toItself: boolean;
}

export function listeningOf(component: string): Listening {
  return ROWS.get(component) ?? ANYTHING;
}

const ANYTHING: Listening = { resources: null, toItself: false };

/** pkg/controller, the AddEventHandler calls of each; the deployment controller's Pods matter to `Recreate` alone. */
const ROWS: ReadonlyMap<string, Listening> = new Map(
  Object.entries({
    'deployment-controller': ['deployments', 'replicasets'],
    'replicaset-controller': ['replicasets', 'pods'],
    'replication-controller': ['replicationcontrollers', 'pods'],
    'statefulset-controller': ['statefulsets', 'pods'],
    'daemon-set-controller': ['daemonsets', 'pods', 'nodes'],
    'job-controller': ['jobs', 'pods'],
    'cronjob-controller': ['cronjobs', 'jobs'],
    'endpointslice-controller': ['services', 'pods', 'nodes', 'endpointslices'],
    'endpoint-controller': ['services', 'pods', 'endpoints'],
    'endpointslicemirroring-controller': ['endpoints', 'endpointslices', 'services'],
  }).map(([name, resources]): [string, Listening] => [name, { resources: new Set(resources), toItself: false }]),
).set('generic-garbage-collector', { resources: null, toItself: true });
