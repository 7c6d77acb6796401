// npm run bench:check: how the cost of `check` grows: 10,000 messages against 200 arrows, and an eighth of it, with names and
// races in it. With `--write` into docs/performance.md.
//
//   npm run bench:check [-- --write]

import { check, expectationsOf, ObservationIndex } from '../../dist/parts.js';
import { machine, median, power, publish, table } from './page.js';

const SERVER = participant('kube-apiserver');
const CLIENTS = Array.from({ length: 10 }, (_, i) => participant(`client-${i}`));
/** Power with which time may grow: linear, and what a timer is off. */
const LIMIT = 1.05;
const TIMES = 8;

const about = machine('bench:check');
const small = timed(2500, 100);
const large = timed(10_000, 200);
const rows = Object.keys(large).map((kind) => {
  const grown = power(large[kind] / small[kind], TIMES);
  const verdict = grown <= LIMIT ? 'met' : '**missed**';
  return [kind, small[kind].toFixed(1), large[kind].toFixed(1), `${grown.toFixed(2)}; at most ${LIMIT}: ${verdict}`];
});
const columns = ['expectation', '2,500 messages × 100 arrows, ms:', '10,000 × 200, ms:', 'power'];
publish(`${about} Medians of five.\n\n${table(columns, rows)}`, 'docs/performance.md', 'check');

/** Median of five, in ms, for expectations that hold, that fail at their end, and that fail for every name. */
function timed(messages, arrows) {
  const seen = observation(messages);
  const flows = {
    holds: flow(arrows, ''),
    'fails at its last arrow': flow(arrows, 'C0 ->> AS: [REQ] DELETE /api/v1/namespaces/default/pods/none\n'),
    'fails for every name': flow(arrows - 2, '', true),
    'races: many equal arrows': equal(arrows, seen),
  };
  return Object.fromEntries(
    Object.entries(flows).map(([kind, text]) => {
      const [{ diagram }] = expectationsOf(text, false, kind);
      // The first, before anything is compiled, does not count.
      const times = Array.from({ length: 6 }, () => {
        const start = performance.now();
        const verdict = check(diagram, new ObservationIndex(seen));
        if (verdict.undecided !== null) throw new Error(`${kind}: ${verdict.undecided}`);
        if (verdict.met !== (kind === 'holds')) throw new Error(`${kind}: met is ${verdict.met}`);
        return performance.now() - start;
      });
      return [kind, median(times.slice(1))];
    }),
  );
}

/** Ten clients, each telling of a Pod, reading and patching it, their messages mixed. */
function observation(count) {
  const messages = [];
  const add = (given) =>
    messages.push({
      seq: messages.length + 1,
      time: BigInt(messages.length) * 1000n,
      started: BigInt(messages.length) * 1000n,
      protocol: 'kubernetes',
      connection: '192.0.2.10:50000-192.0.2.10:6443',
      stream: null,
      capture: 0,
      frames: [messages.length + 1, messages.length + 1],
      complete: true,
      ...given,
    });
  let exchange = 0;
  while (messages.length < count) {
    const round = Array.from({ length: 10 }, (_, i) => {
      exchange += 1;
      const client = CLIENTS[i % CLIENTS.length];
      return { client, name: `web-${exchange}`, exchange, watch: 1_000_000 + i };
    });
    for (const { client, name, watch } of round) {
      add({
        kind: 'event',
        from: SERVER,
        to: client,
        exchange: watch,
        type: 'ADDED',
        label: `[RESP-CHUNK] Pod ADDED - ${name}`,
        object: { kind: 'Pod', namespace: 'default', name, uid: name },
      });
    }
    for (const { client, name, exchange: number } of round) {
      const target = `/api/v1/namespaces/default/pods/${name}`;
      add({
        kind: 'request',
        from: client,
        to: SERVER,
        exchange: number,
        method: 'PATCH',
        target,
        verb: 'patch',
        resource: 'pods',
        namespace: 'default',
        name,
        label: `[REQ] PATCH ${target}`,
      });
    }
    for (const { client, exchange: number } of round.reverse()) {
      add({ kind: 'response', from: SERVER, to: client, exchange: number, status: 200, label: '[RESP] 200 OK' });
    }
  }
  return messages.slice(0, count);
}

/** A third of the arrows each: told of a Pod, patches it, is answered; names bind the three together. */
function flow(arrows, last, isHopeless = false) {
  let text = head();
  const groups = Math.floor(arrows / 3);
  for (let i = 0; i < groups; i++) text += `AS ->> C${i % 10}: [RESP-CHUNK] Pod ADDED - {pod${i}}\n`;
  for (let i = 0; i < groups; i++) text += `C${i % 10} ->> AS: [REQ] PATCH /api/v1/namespaces/{ns}/pods/{pod${i}}\n`;
  for (let i = 0; i < groups; i++) text += `AS -->> C${i % 10}: [RESP] 200 OK\n`;
  // No Pod is patched twice: every Pod has to be tried for the name.
  if (isHopeless)
    text +=
      'AS ->> C0: [RESP-CHUNK] Pod ADDED - {late}\nC0 ->> AS: [REQ] PATCH /api/v1/namespaces/{ns}/pods/{late}\nC0 ->> AS: [REQ] PATCH /api/v1/namespaces/{ns}/pods/{late}\n';
  return text + last;
}

/** More equal arrows than there are messages for them. */
function equal(arrows, seen) {
  const { label } = seen.find(({ kind }) => kind === 'request');
  return head() + `C0 ->> AS: ${label}\nAS -->> C0: [RESP] 200 OK\n`.repeat(arrows / 2);
}

function head() {
  const clients = CLIENTS.map(({ name }, i) => `participant C${i} as ${name}\n`).join('');
  return `sequenceDiagram\nparticipant AS as kube-apiserver\n${clients}`;
}

function participant(name) {
  const made = { id: name.length + name.charCodeAt(name.length - 1) * 100, component: name, name, tier: 'others' };
  return Object.assign(made, { shortId: null, perNode: false, process: made, evidence: [] });
}
