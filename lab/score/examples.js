// Prints single requests and calls whose cause is not right, with what kubeseq gives and what the truth has.
import { append } from './capture.js';
import { versionKey } from './truth.js';

const SHOWN = [
  'other version',
  'other object',
  'echo',
  'none given',
  'none given, not in the capture',
  'no event: given',
  'timer: given',
  'again: other',
  'unknown: given',
];

/** @returns up to `number` examples of each outcome, of components and controllers whose name contains `where`. */
export function exampleLines({ outcomes, etcd, webhooks, capture }, number, where = '') {
  const lines = SHOWN.flatMap((outcome) => {
    const all = outcomes.filter(
      (one) => one.outcome === outcome && `${one.line.part ?? ''}${one.line.component}`.includes(where),
    );
    if (all.length === 0) return [];
    const examples = spread(all, number).flatMap((one) => requestLines(one, capture));
    return [`\n== ${outcome}: ${all.length}`, ...examples];
  });
  return [...lines, ...callLines('webhook', webhooks, number, capture), ...callLines('etcd', etcd, number, capture)];
}

/** Takes one of each queue and kind of request in turn. */
function spread(all, number) {
  const kinds = new Map();
  for (const one of all)
    append(kinds, [one.line.part || one.line.component, one.request.resource, one.request.verb].join(' '), one);
  const rounds = [...kinds.values()].flatMap((list) => list.map((one, round) => ({ one, round })));
  return rounds
    .sort((a, b) => a.round - b.round)
    .slice(0, number)
    .map(({ one }) => one);
}

function requestLines({ line, request, cause, fresh, carried }, capture) {
  const item = `queue ${line.queue || line.how} item ${line.item ?? '-'}`;
  const lines = [`- ${placeOf(request)} ${request.from} | ${request.label.slice(0, 110)} | ${item}`];
  if (cause)
    lines.push(`    kubeseq: ${placeOf(cause)} ${cause.label.slice(0, 90)} rv ${cause.object?.resourceVersion}`);
  for (const trigger of fresh.slice(-4)) lines.push(`    truth:   ${triggerText(trigger, capture)}`);
  for (const trigger of carried.slice(-2)) lines.push(`    earlier: ${triggerText(trigger, capture)}`);
  if (fresh.length + carried.length === 0)
    lines.push(`    truth:   no notification; stack ${(line.stack || '').slice(0, 160)}`);
  return lines;
}

function triggerText({ type, kind, namespace, name, uid, resourceVersion, via, t }, { events }) {
  const seen = (events.get(versionKey(uid, resourceVersion)) ?? []).slice(0, 4);
  const time = t === undefined ? '' : ` at ${new Date(Number(BigInt(t) / 1_000_000n)).toISOString().slice(11, 23)}`;
  const object = `${kind} ${namespace || ''}/${name} rv ${resourceVersion}`;
  return `${type} ${object} via ${via || 'handler'}${time}, seen as ${seen.map(({ seq, to }) => `${seq}→${to}`).join(',') || 'nothing'}`;
}

function callLines(name, { wrong = [] }, number, { requests, exchangeOf }) {
  return wrong.slice(0, number).map(({ outcome, line, call, cause }) => {
    const truth = requests.get(exchangeOf.get(line.auditId));
    const texts = [call, cause, truth].map((row) => (row ? `${row.seq} ${row.label.slice(0, 90)}` : 'none'));
    return `- ${name} ${outcome}: ${texts[0]} | kubeseq: ${texts[1]} | truth: ${texts[2]}`;
  });
}

function placeOf({ seq, frames, time }) {
  return `seq ${seq} frames ${frames?.join('-')} ${time.slice(11)}`;
}
