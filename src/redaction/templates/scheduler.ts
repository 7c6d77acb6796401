// Templates of the scheduler: why a Pod has no node, and to which node it is assigned.

import { dictionary } from '../../core/collections/dictionary.js';

/** By file of Kubernetes 1.34. */
export const SCHEDULER: Readonly<Record<string, readonly string[]>> = dictionary({
  'pkg/scheduler/schedule_one.go': [
    'Successfully assigned {name} to {node}',
    'skip schedule deleting pod: {name}',
    'running PreBind plugin "{plugin}": {text}',
    'running Bind plugin "{plugin}": {text}',
    'running "{plugin}" filter plugin: {text}',
    'running "{plugin}" prebind plugin: {text}',
  ],
  'pkg/scheduler/framework/types.go': [
    '{count}/{count} nodes are available: {text}',
    '{count}/{count} nodes are available',
    'no nodes available to schedule pods',
    '{count} Insufficient {label}',
    '{count} node(s) had untolerated taint {{label}: {labelvalue}}',
    '{count} node(s) had untolerated taint {{label}}',
    "{count} node(s) had taint {{label}: {labelvalue}}, that the pod didn't tolerate",
    'node(s) had untolerated taint {{label}: {labelvalue}}',
    "{count} node(s) didn't satisfy plugin {plugin}",
    "{count} node(s) didn't satisfy plugin(s) [{list}]",
  ],
  'pkg/scheduler/framework/preemption/preemption.go': [
    'Preempted by pod {uid} on node {node}',
    'Preempted by a pod on node {node}',
    '{name}: preempting to accommodate a higher priority pod',
    'preemption: {count}/{count} nodes are available: {text}',
  ],
  'pkg/scheduler/framework/plugins/volumebinding/binder.go': [
    'binding volumes: {text}',
    'provisioning failed for PVC "{name}"',
    'pv "{name}" node affinity doesn\'t match node "{node}": {text}',
    'persistentvolumeclaim "{name}" not found',
    'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{name}"',
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"',
  ],
  'pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go': ['waiting for scheduling gates: [{gates}]'],
  'pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go': [
    'cannot allocate all claims',
    'request {name}: device class {name} does not exist',
    'claim {name} binding failed: reason={word}, message="{words}"',
    'waiting for resource claim controller to create the resourceclaim "{name}"',
    'resourceclaim "{name}" is being deleted',
    'resourceclaim in use',
  ],
});
