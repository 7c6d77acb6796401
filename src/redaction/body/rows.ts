// Defines the rows that decide which strings of a body are shown, and the grammars that shown strings must have.

import { VERSION } from '../user-agent.js';

/** How a string is shown. A grammar rejects unexpected texts, such as several lines in a `reason`. */
export type ShowRule =
  | keyof typeof GRAMMARS
  /** Free text, redacted by templates and the dictionary. */
  | 'text'
  /** Text of a Status, shown like that if it repeats nothing of the request. */
  | 'failure'
  /** Text of a workload, which may look like a message of Kubernetes: no template is tried. */
  | 'words'
  /** A URL or request target. */
  | 'target'
  /** A program with its arguments, and arguments alone. */
  | 'command'
  | 'arguments'
  /** `NAME=value`: only the name is shown. */
  | 'assignment'
  /** A map of labels, the value of one whose key is its neighbour, and a selector as text. */
  | 'labels'
  | 'label'
  | 'selector'
  /** A key of a map, a variable, a header field: an identifier of plain words. */
  | 'key'
  /** A key of etcd. */
  | 'store-key'
  /** A cell of a table: the name of the row's object, a count, an age, or free text. */
  | 'cell'
  | 'annotations'
  | 'managed-fields'
  /** An object that holds its own kind; text and bytes there are not shown. */
  | 'object'
  /** Not shown. */
  | 'none';

export interface FieldRow {
  /** `name`: a field of this name in any type of the table. `EnvVar.value`: of this type alone; such a row takes precedence. */
  readonly field: string;
  readonly showing: ShowRule;
  /** Why a value may be shown, or may not. */
  readonly reason: string;
}

/** @param lines `rule: reason`, and below it, indented, the fields that it is for. */
export function fieldRows(lines: readonly string[]): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  let [showing, reason]: [ShowRule, string] = ['none', ''];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (line.startsWith(' ')) for (const field of line.trim().split(/\s+/)) rows.push({ field, showing, reason });
    else [showing, reason] = [line.slice(0, colon) as ShowRule, line.slice(colon + 2)];
  }
  return rows;
}

/** Rows by their field. @throws if a field has two rows. */
export function rowsByField(rows: readonly FieldRow[]): ReadonlyMap<string, FieldRow> {
  const byField = new Map<string, FieldRow>();
  for (const row of rows) {
    if (byField.has(row.field)) throw new Error(`the field ${row.field} has two rows`);
    byField.set(row.field, row);
  }
  return byField;
}

/** Whether a text has the grammar of its row; the empty text always does. */
export function fits(grammar: keyof typeof GRAMMARS, text: string): boolean {
  return text === '' || (text.length <= GRAMMARS[grammar].longest && GRAMMARS[grammar].pattern.test(text));
}

export function hasGrammar(showing: ShowRule): showing is keyof typeof GRAMMARS {
  return Object.hasOwn(GRAMMARS, showing);
}

/** A number alone, or a version as user agents have them; also what a build without one says. */
const RELEASE = new RegExp(`^(?:\\d{1,4}\\+?|unknown|not_decided|${VERSION.source.slice(1, -1)})$`);

/** Grammars, with the longest text in characters. No grammar allows a line break, and only a few allow blanks. All take linear time. */
export const GRAMMARS = {
  /** Names of objects, resources, groups, versions, keys: `system:node:node-1`, `apps/v1`, `*`. */
  name: { longest: 512, pattern: /^[\w.:@*/+~$()-]+$/ },
  /** A word of the API: `ErrImagePull`, `IfNotPresent`, `SYS_ADMIN`, `s0:c123,c456`. */
  word: { longest: 128, pattern: /^[\w.:,/*-]+$/ },
  /** The one word that a status of a custom resource may be. */
  'camel-word': { longest: 24, pattern: /^[A-Z][A-Za-z]*$/ },
  /** A few words of an operating system or of the API: `Debian GNU/Linux 12 (bookworm)`, `digital signature`. */
  phrase: { longest: 128, pattern: /^[\w.,:/()+~-]+(?: [\w.,:/()+~-]+)*$/ },
  user: { longest: 512, pattern: /^[\w.:@/+~|\\#=,-]+(?: [\w.:@/+~|\\#=,-]+)*$/ },
  uid: { longest: 128, pattern: /^[\w.:+/=-]+$/ },
  time: { longest: 40, pattern: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?$/ },
  duration: { longest: 40, pattern: /^-?(?:\d+(?:\.\d+)?(?:ns|µs|us|ms|s|m|h|d))+$|^0$/ },
  /** A duration that has a unit, as Go and people write it: `24h`, `1m30s`, `79.577531ms`. Digits alone may be anything. */
  timespan: { longest: 24, pattern: /^(?:\d{1,5}(?:\.\d{1,9})?(?:ns|µs|us|ms|s|m|h|d)){1,4}$/ },
  /** A quantity or share that has a unit: `7900m`, `16374Mi`, `10%`. */
  amount: { longest: 12, pattern: /^\d{1,6}(?:\.\d{1,3})?(?:[KMGTPE]i|[kMGTPEm%])$/ },
  /** A name of an object alone (RFC 1123; apimachinery, util/validation). */
  dns: { longest: 253, pattern: /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/ },
  /** A commit, with the branch or tag it is of: `main@sha1:…`, whole. */
  commit: { longest: 110, pattern: /^(?:[\w./-]{1,60}@)?(?:sha1:)?[0-9a-f]{40}$/ },
  quantity: { longest: 40, pattern: /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+|[numkKMGTPE]i?)?$/ },
  /** Also lists of numbers and ranges of them: `0-3,7`. */
  number: { longest: 40, pattern: /^[+-]?\d[\d.]*%?$/ },
  /** Of the kernel, of resolv.conf: small numbers. */
  setting: { longest: 40, pattern: /^-?\d{1,9}(?:[ \t]\d{1,9}){0,3}$/ },
  numbers: { longest: 4096, pattern: /^\d+(?:[-, \t]\d+)*$/ },
  boolean: { longest: 7, pattern: /^(?:[Tt]rue|[Ff]alse|[Uu]nknown|yes|no)$/ },
  /** Number or name of a port, or a percentage. */
  port: { longest: 63, pattern: /^(?:[a-z0-9-]{1,63}|\d+%?|\d+\/[a-z]+)$/i },
  /** Addresses and ranges of IP, of Ethernet too, and `None` of headless Services. */
  address: { longest: 64, pattern: /^(?:[0-9a-fA-F:.]+(?:%\w+)?(?:\/\d{1,3})?|None)$/ },
  host: { longest: 260, pattern: /^(?:\[[0-9a-fA-F:.]+\]|[\w.*:-]+)(?::\d+)?(?:\/\d{1,3})?$/ },
  /** Where a server is, without user, path and query: `https://192.0.2.1:2379`, `unix:///run/x.sock`, `api`. */
  endpoint: { longest: 260, pattern: /^(?:[a-z][a-z0-9+.-]*:\/\/)?[\w.:[\]/-]+$/i },
  /** An image's or a container's: `docker.io/library/nginx:1.27@sha256:…`, `containerd://…`. */
  image: {
    longest: 512,
    pattern: /^(?:[A-Za-z-]+:\/\/)?[\w.-]+(?::\d+)?(?:\/[\w.-]+)*(?::[\w.-]+)?(?:@\w+:[0-9a-fA-F]+)?$/,
  },
  /** Of a container or an image: `containerd://…`; a kubelet without a runtime has the Pod's name, namespace and uid (pkg/kubelet/container). */
  hash: {
    longest: 400,
    pattern:
      /^(?:[A-Za-z0-9.-]{1,20}:(?:\/\/)?)?(?:[0-9a-f]{12,128}|[a-z0-9.-]{1,253}_[a-z0-9-]{1,63}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:_[a-z0-9-]{1,63}){1,3})$/,
  },
  /** Of a program: `v1.34.4-rc.1+k3s1`, `go1.24.6`, `34+`. */
  release: { longest: 60, pattern: RELEASE },
  'api-version': { longest: 253, pattern: /^(?:[a-z0-9.-]+\/)?v\d{1,3}(?:(?:alpha|beta)\d{1,3})?$/ },
  digest: { longest: 140, pattern: /^(?:[a-z0-9+._-]+:)?[0-9a-f]{7,128}$/ },
  /** In a file system, with variables of the environment. */
  path: { longest: 1024, pattern: /^[\w./:\\@+~$(){}*,-]+$/ },
  /** Of a field: `spec.containers[0].image`, `metadata.annotations['example.com/a']`, `.spec.replicas`. */
  'field-path': {
    longest: 512,
    pattern:
      /^\.?[\w/-]+(?:\.[\w/-]+|\[[\w*]+\]|\{[\w-]+\}|\['[\w./-]+'\]|\[\?\(@\.type ?== ?["'][A-Za-z]{1,40}["']\)\])*\.?$/,
  },
  /** JSON pointer (RFC 6901). */
  pointer: { longest: 1024, pattern: /^(?:\/[\w.:@*+~$()-]*)*$/ },
  schedule: { longest: 64, pattern: /^[\w*,/ @?#:=+-]+$/ },
  'media-type': {
    longest: 200,
    pattern:
      /^(?:application|text|image|audio|video|multipart|message|font)\/[\w.+-]{1,100}(?:; ?(?:charset|as|v|g|stream|q|profile)=[\w.-]{1,40}){0,6}$/,
  },
} as const satisfies Record<string, { readonly longest: number; readonly pattern: RegExp }>;
