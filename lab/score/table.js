// Prints scores as tables in text.
import { figuresOf, figuresOfCalls } from './score.js';

/** Columns of the table of requests: head, width, figure. A text in between is a rule. */
const COLUMNS = [
  ['truth', 5, 'truth'],
  ['right', 5, 'right'],
  ['echo', 5, 'echo'],
  ['versn', 5, 'otherVersion'],
  ['objct', 5, 'otherObject'],
  ['none', 5, 'none'],
  ['last', 5, 'last'],
  '|',
  ['ag+', 4, 'again'],
  ['ag-', 4, 'againOther'],
  ['ag0', 4, 'againNone'],
  '|',
  ['FP', 5, 'falsePositives'],
  ['TN', 5, 'trueNegatives'],
  '|',
  ['cont', 5, 'continued'],
  '|',
  ['unk+', 5, 'unknownGiven'],
  ['unk-', 5, 'unknownNone'],
  '|',
  ['prec', 6, 'precision'],
  ['recall', 6, 'recall'],
  ['prec~', 6, 'precisionWithEcho'],
  '|',
  ['aft', 4, 'afterTurnBegan'],
  ['old', 4, 'older'],
];
const SHARES = new Set(['precision', 'recall', 'precisionWithEcho']);
const NAME_WIDTH = 64;
/** Kinds of wrong events that are printed. */
const MAX_WRONG = 24;
/** Missed requests of the audit log that are printed. */
const MAX_MISSED = 6;

/** @returns the lines of one score. */
export function linesOf(name, one) {
  return [
    `${name} messages ${one.messages} truth ${one.truth} not found by kubeseq ${one.notFound}`,
    ...['all', 'component', 'queue'].flatMap((kind) => groupLines(kind, one.counts)),
    ...wrongLines(one.wrong),
    ...(one.names === undefined ? [] : nameLines(one.names)),
    ...auditLines(one.audit),
    `\n== watch events and the write behind them: ${listed(one.events)}`,
    ...callLines('webhook calls', one.webhooks),
    ...callLines('etcd calls', one.etcd),
    ...Object.entries(one.etcd.methods)
      .sort()
      .map(([method, counts]) => `   ${method}: ${listed(counts)}`),
  ];
}

function groupLines(kind, counts) {
  const groups = Object.keys(counts).filter((group) => group.startsWith(`${kind}:`));
  if (kind !== 'all') groups.sort();
  const head = COLUMNS.map((column) => (column === '|' ? '|' : column[0].padStart(column[1])));
  return [
    `${kind.padEnd(NAME_WIDTH)} ${head.join(' ')}`,
    ...groups.map((group) => groupLine(group.slice(kind.length + 1), figuresOf(counts[group]))),
  ];
}

function groupLine(name, figures) {
  const cells = COLUMNS.map((column) => {
    if (column === '|') return '|';
    const [, width, figure] = column;
    const text = SHARES.has(figure) ? percent(figures[figure]) : String(figures[figure]);
    return text.padStart(width);
  });
  return `${name.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH)} ${cells.join(' ')}`;
}

function wrongLines(wrong) {
  if (wrong.length === 0) return [];
  const totals = {};
  for (const [, , what, times] of wrong) totals[what] = (totals[what] ?? 0) + times;
  const lines = wrong
    .slice(0, MAX_WRONG)
    .map(
      ([queue, request, what, times]) =>
        `  ${String(times).padStart(3)} ${queue.padEnd(60)} ${request.padEnd(28)} ${what}`,
    );
  return [`\n== wrongly named events, what became of them: ${listed(totals)}`, ...lines];
}

/** Are the instances of one component told apart? */
function nameLines(names) {
  const processes = new Map();
  for (const [process, requests] of names)
    for (const { from } of requests) processes.set(from, (processes.get(from) ?? new Set()).add(process));
  const shared = [...processes].filter(([, all]) => all.size > 1);
  const text = shared.map(([name, all]) => `${name}: ${[...all].sort().join('+')}`).join(', ') || 'none';
  return [`\n== participants: names that stand for more than one process: ${text}`];
}

function auditLines({ requests, missed }) {
  if (requests === 0) return [];
  return [
    `\n== audit log: ${requests} requests, ${requests - missed.length} found by kubeseq`,
    ...missed
      .slice(0, MAX_MISSED)
      .map((one) => `  missed ${one.verb} ${one.requestURI.slice(0, 90)} ${one.stage} ${one.requestReceivedTimestamp}`),
  ];
}

function callLines(name, calls) {
  if (Object.keys(calls.counts).length === 0) return [];
  const { precision, recall } = figuresOfCalls(calls);
  return [`\n== ${name}: ${listed(calls.counts)}; precision ${percent(precision)}, recall ${percent(recall)}`];
}

function listed(counts) {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  return entries.map(([key, times]) => `${key} ${times}`).join(', ') || 'none';
}

/** @returns the table of docs/causes.md: requests without those for tokens, and calls, of named scores. */
export function markdownLines(scores) {
  const calls = (scored) => {
    const { precision, recall } = figuresOfCalls(scored);
    return recall === undefined ? '–' : `${shareText(precision)} / ${shareText(recall)}`;
  };
  const rows = scores.map(([name, { counts, etcd, webhooks }]) => {
    const { truth, precision, recall, precisionWithEcho } = figuresOf(counts['all:without token requests']);
    const shares = [precision, recall, precisionWithEcho].map(shareText);
    return [`\`${name}\``, truth, ...shares, calls(etcd), calls(webhooks)];
  });
  const head = ['recording', 'truth', 'precision', 'recall', 'with echoes', 'etcd calls', 'webhook calls'];
  const rule = head.map((_, at) => (at === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function shareText(part) {
  return part === undefined ? '–' : `${(100 * part).toFixed(1)} %`;
}

function percent(part) {
  return part === undefined ? '-' : `${(100 * part).toFixed(1)}%`;
}
