// Scores the causes that kubeseq gives (`causedBy`) by what the programs of a recording recorded about themselves.
//
//   npm run build && npm run score -- FOLDER... [--examples N] [--where COMPONENT] [--json | --markdown]
//     [--learn CONTROLLER] [--kubeseq BIN] [--messages FILE | --late FRACTION]
//
// FOLDER has capture.pcap, keys.log and causes.jsonl, and may have turns.jsonl, etcd-causes.jsonl, webhook-causes.jsonl and
// audit.jsonl, all plain or with `.gz`. Each folder's score is printed, and the sum of several. --examples prints up to N
// requests of each wrong outcome, --where only those of a component or controller; --json prints all counts as JSON,
// --markdown the table of docs/causes.md; --kubeseq is another kubeseq to run; --messages is a file of `kubeseq messages -o ndjson` to score instead of running one.
// --learn learns a controller's row instead of taking it from the table (repeatable).
// --late 0.4 cuts off the first 40 % of the packets and scores the requests that are found in the rest, beside the whole recording.
// docs/causes.md explains the columns.
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exampleLines } from './score/examples.js';
import { readLateStart } from './score/late.js';
import { readRecording, score, sumScores } from './score/score.js';
import { linesOf, markdownLines } from './score/table.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '0' },
    where: { type: 'string' },
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    kubeseq: { type: 'string' },
    messages: { type: 'string' },
    late: { type: 'string' },
    learn: { type: 'string', multiple: true, default: [] },
  },
});
if (positionals.length === 0 || (values.messages !== undefined && positionals.length > 1)) {
  console.error('usage: npm run score -- FOLDER... (one folder with --messages)');
  process.exit(2);
}

const late = values.late === undefined ? undefined : Number(values.late);
if (late !== undefined && !(late >= 0 && late < 1)) {
  console.error('--late takes a fraction from 0 to below 1');
  process.exit(2);
}
if (late !== undefined) {
  const pairs = [];
  for (const folder of positionals) pairs.push((await readLateStart(folder, late, values)).map((one) => score(one)));
  const names = positionals.map((folder) => basename(resolve(folder)));
  const rows = pairs.flatMap(([whole, late], at) => [
    [names[at], whole],
    [`${names[at]}, late`, late],
  ]);
  const sums = [0, 1].map((at) => sumScores(pairs.map((pair) => pair[at])));
  if (pairs.length > 1) rows.push(['sum', sums[0]], ['sum, late', sums[1]]);
  console.log(markdownLines(rows).join('\n'));
  process.exit();
}

const scores = [];
for (const folder of positionals) {
  const one = score(
    await readRecording(folder, { ...values, controllers: values.learn.map((name) => `- name: ${name}`) }),
  );
  scores.push(one);
  if (values.json || values.markdown) continue;
  console.log(linesOf(basename(resolve(folder)), one).join('\n'));
  if (Number(values.examples) > 0) console.log(exampleLines(one, Number(values.examples), values.where).join('\n'));
  console.log();
}
const total = scores.length > 1 ? sumScores(scores) : undefined;
const named = positionals.map((folder, at) => [basename(resolve(folder)), scores[at]]);
if (total) named.push(['sum', total]);
if (values.markdown) console.log(markdownLines(named).join('\n'));
else if (values.json)
  console.log(JSON.stringify(Object.fromEntries(named.map(([name, one]) => [name, countsOf(one)])), undefined, 1));
else if (total) console.log(linesOf('sum', total).join('\n'));

function countsOf({ messages, truth, notFound, counts, wrong, events, etcd, webhooks, audit }) {
  return {
    ...{ messages, truth, notFound, counts, wrong, events },
    etcd: { counts: etcd.counts, methods: etcd.methods },
    webhooks: webhooks.counts,
    audit: { requests: audit.requests, missed: audit.missed.map(({ auditID }) => auditID) },
  };
}
