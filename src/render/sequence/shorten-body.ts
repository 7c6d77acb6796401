// Shortens a body for the annotation of an arrow: keeps the essential fields, apiVersion, kind and metadata first, and names those that
// were left out.

export interface ShortBody {
  readonly value: unknown;
  /** What was left out: fixed words and names of fields, which need no redaction. */
  readonly remarks: readonly string[];
}

/** @param body a decoded body, redacted: plain values only. */
export function shortenBody(body: unknown): ShortBody {
  // Empty values of a patch remove fields, so they are essential.
  const shortener = new BodyShortener(isPatch(body));
  const value = shortener.shorten(body, '', 0);
  return { value: value ?? {}, remarks: shortener.remarks() };
}

class BodyShortener {
  readonly #keepsEmpty: boolean;
  readonly #leftOut = new Set<string>();
  readonly #listRemarks: string[] = [];
  #values = 0;
  #isOverLimit = false;

  constructor(keepsEmpty: boolean) {
    this.#keepsEmpty = keepsEmpty;
  }

  /** undefined if nothing of the value is essential. */
  shorten(value: unknown, path: string, depth: number): unknown {
    this.#values += 1;
    if (this.#values > MAX_VALUES || depth > MAX_DEPTH) {
      this.#isOverLimit = true;
      return undefined;
    }
    if (Array.isArray(value)) return this.#list(value, path, depth);
    if (typeof value === 'object' && value !== null) return this.#record(value as Record<string, unknown>, path, depth);
    if (typeof value === 'string') return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}…`;
    return value;
  }

  remarks(): string[] {
    const out: string[] = [];
    if (this.#leftOut.size > 0) out.push(`left out: ${[...this.#leftOut].join(', ')}`);
    out.push(...this.#listRemarks);
    if (this.#isOverLimit) out.push('left out: what is deeper or comes later');
    return out;
  }

  #list(list: readonly unknown[], path: string, depth: number): unknown {
    const shown = list.slice(0, MAX_ITEMS).map((item) => this.shorten(item, path, depth + 1));
    if (list.length > MAX_ITEMS && this.#listRemarks.length < MAX_REMARKS)
      this.#listRemarks.push(`${path}: ${MAX_ITEMS} of ${list.length} shown`);
    const kept = shown.filter((item) => item !== undefined);
    return kept.length === 0 && list.length > 0 ? undefined : kept;
  }

  #record(record: Readonly<Record<string, unknown>>, path: string, depth: number): unknown {
    const out: Record<string, unknown> = {};
    for (const name of inOrder(Object.keys(record))) {
      const member = record[name];
      if (!this.#keepsEmpty && isEmpty(member)) continue;
      if (isNoise(name)) this.#leaveOut(name);
      else {
        const kept = this.shorten(member, path === '' ? name : `${path}.${name}`, depth + 1);
        if (kept !== undefined) out[name] = kept;
      }
    }
    // An object all of whose members were left out is left out as well, but not the body itself.
    return Object.keys(out).length === 0 && Object.keys(record).length > 0 && depth > 0 ? undefined : out;
  }

  #leaveOut(name: string): void {
    const shown = name.startsWith(ELEMENT_ORDER) ? ELEMENT_ORDER : name;
    if (this.#leftOut.size < MAX_REMARKS) this.#leftOut.add(shown);
  }
}

/** A JSON patch is a list; a merge patch has neither a kind, as objects do, nor a type, as watch events do. */
function isPatch(body: unknown): boolean {
  if (Array.isArray(body)) return true;
  return typeof body === 'object' && body !== null && !Object.hasOwn(body, 'kind') && !Object.hasOwn(body, 'type');
}

function inOrder(names: readonly string[]): string[] {
  const isWatchEvent = names.includes('object');
  const top = isWatchEvent ? EVENT_TOP : TOP;
  const first = top.filter((name) => names.includes(name));
  return [...first, ...names.filter((name) => !top.includes(name))];
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isNoise(name: string): boolean {
  return NOISE.has(name) || name.startsWith(ELEMENT_ORDER);
}

const TOP: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];
/** Members of a watch event. */
const EVENT_TOP: readonly string[] = ['type', 'object'];
/** Directive of strategic merge patches for the order of lists. */
const ELEMENT_ORDER = '$setElementOrder';
/**
 * Fields that most objects have and that rarely explain what happens: defaults of the API server, times, and what admission plugins add
 * to every Pod (`serviceAccount`, `tolerations`, `volumes`, `volumeMounts`).
 */
const NOISE: ReadonlySet<string> = new Set(
  `managedFields selfLink creationTimestamp kubectl.kubernetes.io/last-applied-configuration terminationMessagePath
  terminationMessagePolicy imagePullPolicy dnsPolicy schedulerName enableServiceLinks preemptionPolicy priority
  terminationGracePeriodSeconds tolerations volumes volumeMounts serviceAccount revisionHistoryLimit
  progressDeadlineSeconds lastProbeTime lastTransitionTime lastUpdateTime lastHeartbeatTime observedGeneration
  qosClass hostIPs podIPs allocatedResources internalTrafficPolicy ipFamilies ipFamilyPolicy sessionAffinity`.split(
    /\s+/,
  ),
);
/** Limit: items of a list in an annotation; the rest is counted. */
const MAX_ITEMS = 5;
/** Limit: values of a body that are visited for an annotation: more would fill several screens. */
const MAX_VALUES = 1000;
/** Limit: nesting of these values. */
const MAX_DEPTH = 16;
/** Limit: characters of one text of them. */
const MAX_TEXT = 300;
/** Limit: names and lists that an annotation mentions as left out. */
const MAX_REMARKS = 20;
