// Finds the objects that are missing or exhausted according to the text of a failure; a further text is a further row.

import { builtInResource } from '../../core/api-resources.js';
import { isClusterScoped, resourceOfKind } from './kinds.js';
import { objectReference } from './object-ref.js';
import type { RequestInfo } from './request-info.js';

/** An object that something depends on. */
export interface MissingObject {
  /** Plural, lower case. */
  readonly resource: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  /** undefined: none. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** @param text of an Event, or of a refusal; not redacted. @param namespace of the object that it is about. */
export function missingIn(text: string, namespace: string | undefined): readonly MissingObject[] {
  if (IN_OTHER_NAMESPACE.test(text)) return NOTHING;
  const missing = new Map<string, MissingObject>();
  const beginning = text.slice(0, MAX_READ);
  for (const { words, read } of ROWS) {
    for (const match of beginning.matchAll(words)) {
      for (const { resource, apiGroup, name } of read(match)) {
        if (missing.size >= MAX_MISSING || !NAME.test(name)) continue;
        const ownNamespace = isClusterScoped(resource, apiGroup) ? undefined : namespace;
        missing.set(objectReference(resource, name), { resource, apiGroup, namespace: ownNamespace, name });
      }
    }
  }
  return [...missing.values()];
}

/** Objects that a refused request depends on, other than its own. @param text of the refusal. */
export function missingFrom(text: string, info: RequestInfo | null): readonly MissingObject[] {
  if (info === null || !WRITES.has(info.verb)) return NOTHING;
  return missingIn(text, info.namespace).filter(
    ({ resource, name }) => resource !== info.resource || name !== info.name,
  );
}

interface MissingObjectRow {
  readonly words: RegExp;
  read(match: RegExpExecArray): readonly Omit<MissingObject, 'namespace'>[];
}

function row(resource: string, words: RegExp): MissingObjectRow {
  const apiGroup = groupOf(resource);
  return { words, read: ([, names]) => names.split(', ').map((name) => ({ resource, apiGroup, name })) };
}

function groupOf(resource: string): string {
  return builtInResource(resource)?.apiGroup ?? '';
}

const NOTHING: readonly MissingObject[] = [];
const WRITES = new Set(['create', 'update', 'patch']);
const NO_NAMES: readonly Omit<MissingObject, 'namespace'>[] = [];

/** Resources of Kubernetes that programs wait for; many texts leave their group out. */
const AWAITED: ReadonlySet<string> = new Set(
  'configmaps deviceclasses namespaces persistentvolumeclaims persistentvolumes resourceclaims resourceclaimtemplates runtimeclasses secrets serviceaccounts services storageclasses'.split(
    ' ',
  ),
);

const ROWS: readonly MissingObjectRow[] = [
  {
    // NewNotFound (k8s.io/apimachinery, api/errors), and the kubelet with a kind in place of the resource.
    words: /\b([A-Za-z]{1,63})((?:\.[a-z0-9-]{1,63}){0,8}) "([^"]{1,253})" not found/g,
    read: ([, kind, group, name]) => {
      const resource = resourceOfKind(kind);
      if (group !== '') return [{ resource, apiGroup: group.slice(1), name }];
      return AWAITED.has(resource) ? [{ resource, apiGroup: groupOf(resource), name }] : NO_NAMES;
    },
  },
  // pkg/kubelet/kubelet_pods.go: makeEnvironmentVariables.
  row('configmaps', /couldn't find key \S{1,253} in ConfigMap [^/\s]+\/(\S+)/g),
  row('secrets', /couldn't find key \S{1,253} in Secret [^/\s]+\/(\S+)/g),
  // pkg/kubelet/kubelet.go: FailedToRetrieveImagePullSecret.
  row('secrets', /Unable to retrieve some image pull secrets \(([^)]+)\)/g),
  // plugin/pkg/admission/priority.
  row('priorityclasses', /no PriorityClass with name (\S+) was found/g),
  // k8s.io/apiserver, admission/plugin/resourcequota.
  row('resourcequotas', /exceeded quota: ([^,\s]+), requested:/g),
  row('resourcequotas', /failed quota: ([^:\s]+): must specify/g),
  // pkg/registry/core/pod/storage/eviction.go.
  row('poddisruptionbudgets', /The disruption budget (\S{1,253}) (?:needs|does not allow|is still)/g),
  // pkg/scheduler/framework/plugins/dynamicresources.
  row('deviceclasses', /device class (\S+) does not exist/g),
];

/** The Service of a webhook is in a namespace of its own (k8s.io/apiserver, admission/plugin/webhook). */
const IN_OTHER_NAMESPACE = /failed calling webhook "/;
/** A name of an object (k8s.io/apimachinery, api/validation/path: no slash, no percent sign). */
const NAME = /^[^/%\s]{1,253}$/;
/** Limit: characters of a text that are searched for missing objects: an Event has 1,024; each row is searched at each of them. */
const MAX_READ = 2048;
/** Limit: missing objects of one text; of a Pod that has none of its volumes each is reported alone. */
const MAX_MISSING = 16;
