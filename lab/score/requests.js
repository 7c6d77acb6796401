// Compares the cause that kubeseq gives each request with the notifications that really triggered it.
import { append, count } from './capture.js';
import { componentOf, isRetry, isSameObject, isSameVersion, queueOf, triggersOf, versionKey } from './truth.js';

/** Programs of these stacks get the cause over a channel or within a request that they carry out, so it is not in the truth. */
const UNKNOWN_STACKS = [
  'token.(*Manager)',
  'record.recordEvent',
  'ipallocator',
  'Admit',
  'limitranger',
  'events.(*eventBroadcasterImpl)',
  'wipeResourceSlices',
];
const OUTSIDE_QUEUES = new Set('direct handler unknown scheduler podworker kubelet-status kubelet'.split(' '));
const WRONG = new Set(['other version', 'other object', 'echo']);
/** Turns of one process that led to each other by their own writes are followed back so far. */
const MAX_ECHOES = 8;

/**
 * @returns `counts`: outcomes by group (`all:…`, `component:…`, `queue:…`); `outcomes`: each request with its outcome;
 *   `notFound`: lines whose request is not in the capture; `names`: what kubeseq calls each process.
 */
export function scoreRequests(truth, capture) {
  const scored = { counts: {}, outcomes: [], notFound: 0, names: new Map() };
  const context = { capture, lineOf: firstLines(truth), lastFresh: new Map() };
  const seen = new Set();
  const turns = new Map();
  for (const line of truth) {
    if (componentOf(line) === 'kubectl' || line.how === 'reflector') continue;
    const request = capture.requests.get(capture.exchangeOf.get(line.auditId));
    if (request === undefined) {
      scored.notFound++;
      continue;
    }
    if (seen.has(line.auditId)) continue;
    seen.add(line.auditId);
    if (request.verb === 'watch') continue;
    append(scored.names, line.component, request);
    const turn = JSON.stringify([line.component, line.pid, line.queue, line.item, line.itemStart]);
    turns.set(turn, (turns.get(turn) ?? 0) + 1);
    const cause = capture.rows.get(request.causedBy);
    const one = { line, request, cause, ...triggersOf(line) };
    const groups = groupsOf(one, turns.get(turn) === 1);
    const { outcome, notes } = judge(one, context);
    for (const group of groups) {
      scored.counts[group] ??= {};
      for (const counted of [...notes, outcome]) count(scored.counts[group], counted);
    }
    scored.outcomes.push({ ...one, outcome });
  }
  return scored;
}

function firstLines(truth) {
  const lines = new Map();
  for (const line of truth) if (!lines.has(line.auditId)) lines.set(line.auditId, line);
  return lines;
}

function groupsOf({ line, request, cause, fresh }, isFirst) {
  const groups = [`component:${componentOf(line)}`, `queue:${queueOf(line)}`, 'all:all'];
  if (isOfToken(line)) return groups;
  if (cause && request.cause?.certain === true) groups.push('all:called certain');
  groups.push('all:without token requests', line.verb === 'GET' ? 'all:reads' : 'all:writes');
  if (line.itemStart)
    groups.push(
      isFirst ? 'all:first request of a turn' : 'all:later request of a turn',
      fresh.length === 1 ? 'all:one notification' : 'all:several notifications',
    );
  return groups;
}

/** The controller manager requests its controllers' credentials as it needs them, whatever triggered the controller. */
function isOfToken({ path, stack }) {
  if (!path.includes('serviceaccounts')) return false;
  return path.split('?')[0].endsWith('/token') || (stack || '').includes('getOrCreateServiceAccount');
}

/** @returns the outcome, and what is counted beside it. */
function judge(one, context) {
  const { line, cause, fresh } = one;
  const object = cause?.object;
  const names = (triggers) => triggers.some((trigger) => isSameVersion(object, trigger));
  const process = JSON.stringify([line.component, line.item]);
  let outcome = outcomeOf(one, names, context);
  const notes = [];
  if (outcome === 'right' && (line.how === 'scheduler' || isSameVersion(object, latestOf(fresh)))) notes.push('last');
  // A kubelet watches the containers that a Pod's event began: the event is neither right nor wrong for that.
  if (['no event: given', 'unknown: given'].includes(outcome) && line.item)
    if (names(context.lastFresh.get(process) ?? [])) outcome = 'continued';
  if (fresh.length > 0 && line.item) context.lastFresh.set(process, fresh);
  if (WRONG.has(outcome) && line.itemStart)
    notes.push(nanoseconds(cause.time) > BigInt(line.itemStart) ? 'came after the turn began' : 'older');
  return { outcome, notes };
}

function outcomeOf({ line, cause, fresh, carried }, names, context) {
  if (fresh.length > 0) {
    if (!cause) return isCaptured(fresh, context.capture) ? 'none given' : 'none given, not in the capture';
    if (names(fresh)) return 'right';
    if (names(carried)) return 'right, of an earlier turn';
    if (names(triggersBehind(line, context))) return 'echo';
    const isSame = [...fresh, ...carried].some((trigger) => isSameObject(cause.object, trigger));
    return isSame ? 'other version' : 'other object';
  }
  if (carried.length > 0 && !carried.some(isRetry)) {
    if (!cause) return 'timer: none';
    return names(carried) ? 'continued' : 'timer: given';
  }
  if (carried.length > 0) {
    if (!cause) return 'again: none';
    return names(carried) ? 'again: right' : 'again: other';
  }
  return `${sourceOf(line)}: ${cause ? 'given' : 'none'}`;
}

/** @returns what a request without notification comes from: the queue, a timer or start, or what the truth does not have. */
function sourceOf({ how, stack, triggers }) {
  if (triggers.length > 0 || !OUTSIDE_QUEUES.has(how)) return 'no event';
  const isTimer = how === 'direct' && !UNKNOWN_STACKS.some((part) => (stack || '').includes(part));
  return isTimer ? 'timer' : 'unknown';
}

function isCaptured(triggers, { events }) {
  return triggers.some(({ uid, resourceVersion }) => events.has(versionKey(uid, resourceVersion)));
}

/** @returns what triggered those turns of the same queue whose own writes came back as the notifications of this one. */
function triggersBehind(line, context, seen = new Set(), depth = 0) {
  if (depth > MAX_ECHOES) return [];
  const { capture, lineOf } = context;
  const behind = [];
  for (const { uid, resourceVersion } of triggersOf(line).fresh) {
    const key = versionKey(uid, resourceVersion);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const write of capture.writesOf(uid, resourceVersion)) {
      const before = lineOf.get(capture.auditIdOf.get(write));
      if (before?.component !== line.component || (before.queue ?? null) !== (line.queue ?? null)) continue;
      behind.push(...triggersOf(before).fresh, ...triggersBehind(before, context, seen, depth + 1));
    }
  }
  return behind;
}

function latestOf(triggers) {
  return triggers.reduce((last, one) => (BigInt(one.t ?? 0) > BigInt(last.t ?? 0) ? one : last));
}

/** @returns nanoseconds since 1970 of a time in UTC with any number of decimals. */
export function nanoseconds(time) {
  const [seconds, decimals = ''] = time.replace(/Z$/, '').split('.');
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(`${decimals}000000000`.slice(0, 9));
}

/** @returns what became of events that were named wrongly, by queue and request: `[queue, request, what, times]`. */
export function wrongEvents(outcomes, turns) {
  const turnsOf = new Map();
  for (const { component, queue, item, t, triggers } of turns)
    for (const { uid, resourceVersion, via } of triggers)
      append(turnsOf, JSON.stringify([component, queue, uid, resourceVersion]), { item, t, via: via || 'handler' });
  const found = new Map();
  for (const { outcome, line, request, cause } of outcomes) {
    if (!WRONG.has(outcome) || line.how !== 'workqueue') continue;
    const { uid, resourceVersion } = cause.object ?? {};
    const all = turnsOf.get(JSON.stringify([line.component, line.queue, uid, resourceVersion])) ?? [];
    const what = (outcome === 'echo' ? 'echo; ' : '') + fateOf(all, line);
    const key = JSON.stringify([queueOf(line), `${request.verb} ${request.resource}`, what]);
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return [...found].map(([key, times]) => [...JSON.parse(key), times]).sort((a, b) => b[3] - a[3]);
}

function fateOf(turns, { item, itemStart }) {
  if (turns.length === 0) return 'never triggered this queue';
  const own = turns.filter((turn) => turn.item === item && !turn.via.startsWith('requeue'));
  if (own.length === 0) return 'triggered another item of it';
  return own.every(({ t }) => BigInt(t) > BigInt(itemStart)) ? 'triggered a later turn' : 'triggered an earlier turn';
}
