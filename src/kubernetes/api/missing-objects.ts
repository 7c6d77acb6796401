// What the words of a failure say that is not there, or too small: what somebody has to make before it can go on. Knows the
// texts of Kubernetes' programs, as a table: another way to say it is a row more. Not who waits, nor what comes of it.

import { isClusterScoped, resourceOfKind } from './kinds.js';
import type { RequestInfo } from './request-info.js';

/** An object that something cannot do without. */
export interface MissingObject {
  /** Plural, lower case. */
  readonly resource: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  /** undefined: it is in none. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** @param text of an Event, or of a refusal; not redacted. @param namespace of whom it speaks. */
export function missingIn(text: string, namespace: string | undefined): readonly MissingObject[] {
  if (OF_ANOTHER_PLACE.test(text)) return NOTHING;
  const missing = new Map<string, MissingObject>();
  const beginning = text.slice(0, MAX_READ);
  for (const { words, read } of ROWS) {
    for (const match of beginning.matchAll(words)) {
      for (const { resource, apiGroup, name } of read(match)) {
        if (missing.size >= MAX_MISSING || !NAME.test(name)) continue;
        const place = isClusterScoped(resource) ? undefined : namespace;
        missing.set(`${resource} ${name}`, { resource, apiGroup, namespace: place, name });
      }
    }
  }
  return [...missing.values()];
}

/** What a request could not do without, that was refused: not what it was about. @param text of the refusal. */
export function missingFrom(text: string, info: RequestInfo | null): readonly MissingObject[] {
  if (info === null || !MAKES.has(info.verb)) return NOTHING;
  return missingIn(text, info.namespace).filter((one) => one.resource !== info.resource || one.name !== info.name);
}

/** As kubectl names it: `configmaps/settings`. */
export function missingName({ resource, name }: MissingObject): string {
  return `${resource}/${name}`;
}

interface MissingObjectRow {
  readonly words: RegExp;
  read(match: RegExpExecArray): readonly Omit<MissingObject, 'namespace'>[];
}

function row(resource: string, words: RegExp, apiGroup = ''): MissingObjectRow {
  return { words, read: ([, names]) => names.split(', ').map((name) => ({ resource, apiGroup, name })) };
}

const NOTHING: readonly MissingObject[] = [];
const MAKES = new Set(['create', 'update', 'patch']);
const NO_NAMES: readonly Omit<MissingObject, 'namespace'>[] = [];

/** Resources of Kubernetes that programs wait for, and their groups: many texts leave the group out. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['configmaps', ''],
  ['deviceclasses', 'resource.k8s.io'],
  ['namespaces', ''],
  ['persistentvolumeclaims', ''],
  ['persistentvolumes', ''],
  ['resourceclaims', 'resource.k8s.io'],
  ['resourceclaimtemplates', 'resource.k8s.io'],
  ['runtimeclasses', 'node.k8s.io'],
  ['secrets', ''],
  ['serviceaccounts', ''],
  ['services', ''],
  ['storageclasses', 'storage.k8s.io'],
]);

const ROWS: readonly MissingObjectRow[] = [
  {
    // NewNotFound (k8s.io/apimachinery, api/errors), and the kubelet with a kind in place of the resource.
    words: /\b([A-Za-z]{1,63})((?:\.[a-z0-9-]{1,63}){0,8}) "([^"]{1,253})" not found/g,
    read: ([, kind, group, name]) => {
      const resource = resourceOfKind(kind);
      const apiGroup = group === '' ? GROUPS.get(resource) : group.slice(1);
      return apiGroup === undefined ? NO_NAMES : [{ resource, apiGroup, name }];
    },
  },
  // pkg/kubelet/kubelet_pods.go: makeEnvironmentVariables.
  row('configmaps', /couldn't find key \S{1,253} in ConfigMap [^/\s]+\/(\S+)/g),
  row('secrets', /couldn't find key \S{1,253} in Secret [^/\s]+\/(\S+)/g),
  // pkg/kubelet/kubelet.go: FailedToRetrieveImagePullSecret.
  row('secrets', /Unable to retrieve some image pull secrets \(([^)]+)\)/g),
  // plugin/pkg/admission/priority.
  row('priorityclasses', /no PriorityClass with name (\S+) was found/g, 'scheduling.k8s.io'),
  // k8s.io/apiserver, admission/plugin/resourcequota.
  row('resourcequotas', /exceeded quota: ([^,\s]+), requested:/g),
  row('resourcequotas', /failed quota: ([^:\s]+): must specify/g),
  // pkg/registry/core/pod/storage/eviction.go.
  row('poddisruptionbudgets', /The disruption budget (\S{1,253}) (?:needs|does not allow|is still)/g, 'policy'),
  // pkg/scheduler/framework/plugins/dynamicresources.
  row('deviceclasses', /device class (\S+) does not exist/g, 'resource.k8s.io'),
];

/** The Service of a webhook is in a namespace of its own (k8s.io/apiserver, admission/plugin/webhook). */
const OF_ANOTHER_PLACE = /failed calling webhook "/;
/** A name of an object (k8s.io/apimachinery, api/validation/path: no slash, no percent sign). */
const NAME = /^[^/%\s]{1,253}$/;
/** Characters that are read of a text: an Event has 1,024; the words of a table are looked for at each of them. */
const MAX_READ = 2048;
/** Of one text; a Pod that has none of its volumes is told one at a time. */
const MAX_MISSING = 16;
