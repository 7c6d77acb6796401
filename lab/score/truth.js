// Reads the truth files of a recording: what its programs themselves recorded about each request and what triggered it.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip, gunzipSync } from 'node:zlib';

/** Notifications that carry a version of an object, by their `type`. */
const NOTIFICATIONS = new Set(
  'ADDED MODIFIED DELETED INITIAL ADD UPDATE DELETE RECONCILE REMOVE SCHEDULED-VERSION'.split(' '),
);
/** Delays in ms of a work queue's retries after errors: 5 ms, doubled each time. Any other delay is a timer. */
const RETRY_DELAYS = new Set(Array.from({ length: 18 }, (_, at) => 5 * 2 ** at));
/** Nanoseconds since 1970 are beyond what a number holds exactly, so they are read as texts. */
const NANOSECONDS = /"(t|itemStart)": ?(\d{16,})/g;

/** @returns the path of a recording's file, plain or with `.gz`; undefined where it has none. */
export function pathOf(folder, name) {
  return [`${folder}/${name}`, `${folder}/${name}.gz`].find((path) => existsSync(path));
}

/** @returns the bytes of a recording's file, unzipped; undefined where it has none. */
export function readFile(folder, name) {
  const path = pathOf(folder, name);
  if (path === undefined) return undefined;
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** @returns the lines of a JSONL file as objects, none where the file is absent; nanoseconds are texts. */
export function readLines(folder, name) {
  const text = readFile(folder, name)?.toString('utf8');
  return text === undefined ? [] : parseLines(text.replace(NANOSECONDS, '"$1":"$2"').split('\n'));
}

/** Reads lines of a file or stream one by one, because messages of a long capture are longer than a string may be. */
export async function readStream(source) {
  const rows = [];
  for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line !== '') rows.push(JSON.parse(line));
  return rows;
}

export function openFile(path) {
  const file = createReadStream(path);
  return path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
}

function parseLines(lines) {
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** @returns whether a notification comes again after an error, and not by a timer that the program set. */
export function isRetry(trigger) {
  return !trigger.delayMs || RETRY_DELAYS.has(trigger.delayMs);
}

/** @returns `fresh`: notifications since the last turn of the item; `carried`: those of an earlier turn. */
export function triggersOf(line) {
  const all = line.triggers.filter(({ type }) => NOTIFICATIONS.has(type));
  const isCarried = ({ via }) => (via || 'handler').startsWith('requeue');
  const fresh = all.filter((one) => !isCarried(one));
  const carried = all.filter(isCarried);
  // A retry replaces the timer that the item waited for.
  return { fresh, carried: carried.some(isRetry) ? carried.filter(isRetry) : carried };
}

export function isSameObject(object, trigger) {
  if (!object) return false;
  if (object.uid && trigger.uid) return object.uid === trigger.uid;
  return (object.name ?? null) === (trigger.name ?? null) && (object.namespace || '') === (trigger.namespace || '');
}

/** @returns whether object and version are the same; a removal that a kubelet concludes has no version. */
export function isSameVersion(object, trigger) {
  if (!isSameObject(object, trigger)) return false;
  return trigger.type === 'REMOVE' || (object.resourceVersion ?? null) === (trigger.resourceVersion ?? null);
}

/** @returns a key of one version of one object. */
export function versionKey(uid, resourceVersion) {
  return `${uid ?? null} ${resourceVersion ?? null}`;
}

/** @returns the component without the number or letter of its instance: `kubelet` of `kubelet1`. */
export function componentOf({ component }) {
  return /[0-9AB]$/.test(component) ? component.replace(/[0-9AB]+$/, '') : component;
}

/** @returns the controller of a line and its queue. */
export function queueOf(line) {
  return `${line.part || componentOf(line)} / ${line.queue || `(${line.how})`}`;
}
