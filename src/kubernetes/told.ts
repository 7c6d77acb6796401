// What a message may tell: the texts of a draft are captured ones, those of a message have passed the redaction. One row for each
// field with texts, so that a new one without a row does not compile. Knows fields; what may be shown is the redaction's.

import { isResource, shownIdentity, shownPlainWord } from '../redaction/names.js';
import type { Redaction } from '../redaction/redaction.js';
import type { Draft } from './draft.js';
import type { Message, Told } from './message.js';
import type { ObjectField, ReportInfo } from './objects/object-info.js';
import type { Trouble } from './objects/troubles.js';

/** @param draft becomes the message: nobody changes it afterwards but for its cause. @returns the same object. */
export function toldMessage(draft: Draft, redaction: Redaction): Message {
  const isKnown = isOfTheApi(draft);
  if (isKnown) learn(draft, redaction);
  const texts = draft as unknown as Record<string, unknown>;
  if (!isKnown)
    for (const name of OF_THE_PATH) if (texts[name] !== undefined) texts[name] = shownPlainWord(String(texts[name]));
  for (let i = 0; i < ROWS.length; i++) {
    const [name, tell] = ROWS[i];
    const value = texts[name];
    if (value === undefined || value === null) continue;
    const told = tell(value, redaction);
    if (told !== value) texts[name] = told;
  }
  return draft as unknown as Message;
}

/** What a message names, its texts may speak of, and those of later ones. */
export function learn(named: Named, redaction: Redaction): void {
  for (let i = 0; i < NAMES.length; i++) learnName(named[NAMES[i]], redaction);
  const { object, report } = named;
  if (object !== undefined) {
    learnName(object.kind, redaction);
    learnName(object.name, redaction);
    learnName(object.namespace, redaction);
  }
  if (report === undefined) return;
  learnName(report.name, redaction);
  learnName(report.component, redaction);
}

/** Of a message, and of APIs that no dictionary has: a custom resource and its group, a call. */
const NAMES = ['namespace', 'name', 'image', 'apiGroup', 'resource', 'service', 'rpcMethod'] as const;

interface Named extends Pick<Draft, (typeof NAMES)[number]> {
  readonly object?: Pick<ObjectField, 'kind' | 'name' | 'namespace'>;
  readonly report?: Pick<ReportInfo, 'name' | 'component'>;
}

function learnName(name: string | null | undefined, redaction: Redaction): void {
  if (name != null) redaction.learn(name);
}

type Tell<T> = (value: T, redaction: Redaction) => Told<T>;
/** Of these fields nothing has to be looked at: the compiler alone is told. */
const identity: Tell<string> = shownIdentity;
/** All of an object are such. */
const object: Tell<ObjectField> = (value) => value as Told<ObjectField>;
const name: Tell<string> = (value, redaction) => redaction.name(value);
/** Of a path, as it was sent: parameters of a segment and what is escaped are no name. */
const segment: Tell<string> = (value, redaction) =>
  SEGMENT.test(value) ? redaction.name(value) : redaction.text(value);
const word: Tell<string> = (value, redaction) => redaction.word(value);
const text: Tell<string> = (value, redaction) => redaction.text(value);
const names: Tell<readonly string[]> = (value, redaction) => value.map((one) => redaction.name(one));
const texts: Tell<readonly string[]> = (value, redaction) => value.map((one) => redaction.text(one));

/** Whoever writes an Event chooses its words. */
function report(value: ReportInfo, redaction: Redaction): Told<ReportInfo> {
  const { type, reason, message, kind, namespace, name, uid, component } = value;
  return {
    type: redaction.word(type),
    reason: redaction.word(reason),
    message: redaction.text(message),
    kind: redaction.name(kind),
    namespace: redaction.name(namespace),
    name: redaction.name(name),
    uid: redaction.name(uid),
    component: redaction.name(component),
  };
}

/** Names of containers and reasons are anybody's words. */
function trouble({ of, state, reason, exitCode }: Trouble, redaction: Redaction): Told<Trouble> {
  const told = { of: redaction.name(of), state: redaction.word(state), reason: redaction.word(reason) };
  return exitCode === undefined ? told : { ...told, exitCode };
}

/** Fields that hold no text of a capture, or texts that were made to be shown. */
type Others =
  | 'seq'
  | 'time'
  | 'started'
  | 'kind'
  | 'protocol'
  | 'from'
  | 'to'
  | 'fromName'
  | 'toName'
  | 'label'
  | 'exchange'
  | 'connection'
  | 'stream'
  | 'capture'
  | 'lastCapture'
  | 'frames'
  | 'complete'
  | 'inferred'
  | 'causedBy'
  | 'target'
  | 'userAgent'
  | 'status'
  | 'latencyMs'
  | 'initial'
  | 'dryRun'
  | 'grpcStatus'
  | 'succeeded'
  | 'bytes'
  | 'exitCode'
  | 'via'
  | 'viaNames'
  | 'translated'
  | 'details';
type Texts = Exclude<keyof Draft, Others>;

/** Of each field: which rule shows it. */
const TELLS: { readonly [Key in Texts]-?: Tell<NonNullable<Draft[Key]>> } = {
  method: name,
  verb: identity,
  apiGroup: identity,
  apiVersion: identity,
  resource: identity,
  subresource: identity,
  namespace: segment,
  name: segment,
  auditId: (value, redaction) => redaction.field('audit-id', value),
  reason: word,
  object,
  type: word,
  report,
  claims: names,
  lacks: names,
  warnings: texts,
  troubles: (value, redaction) => value.map((one) => trouble(one, redaction)),
  madeFor: ({ resource, apiGroup, namespace, name }, redaction) => ({
    resource: redaction.name(resource),
    apiGroup: redaction.name(apiGroup),
    namespace: redaction.name(namespace),
    name: redaction.name(name),
  }),
  release: ({ name, revision, status }, redaction) => ({
    name: redaction.name(name),
    revision,
    status: redaction.word(status),
  }),
  statusMessage: text,
  service: (value) => shownPlainWord(value),
  rpcMethod: (value) => shownPlainWord(value),
  key: name,
  revision: identity,
  podSandboxId: name,
  containerId: name,
  image: name,
  channel: identity,
};
/** Those in which there is something to look at. */
const ROWS = (
  Object.entries(TELLS) as readonly (readonly [string, (value: unknown, redaction: Redaction) => unknown])[]
).filter(([, tell]) => tell !== identity && tell !== object);

/** Whether a path is one of the Kubernetes API: other programs have paths that look like it, `/api/v1/keys/…`. */
function isOfTheApi({ apiGroup, apiVersion, resource }: Draft): boolean {
  if (resource === undefined || apiVersion === undefined || apiGroup === undefined) return true;
  if (apiGroup === '') return isResource(resource);
  return (apiGroup.includes('.') || GROUPS.has(apiGroup)) && SEGMENT.test(resource);
}

/** Groups without a dot (k8s.io/api). */
const GROUPS: ReadonlySet<string> = new Set(['apps', 'autoscaling', 'batch', 'extensions', 'policy']);
const OF_THE_PATH = ['apiGroup', 'resource', 'subresource', 'namespace', 'name'];
/** Names in a path end before parameters, queries and fragments (RFC 3986, section 3.3). */
const SEGMENT = /^[^\s;#=?&%"'<>{}]*$/;
