// What the probes of `kubeseq keys` on connections that are open already cost a busy Go server: answers per second without them, with
// them, and after they are gone, in turn. Needs root, a Go toolchain and tracefs.
//   node scripts/bench/probes.js [--rounds 5] [--seconds 3]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
});
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EVENTS = '/sys/kernel/tracing/uprobe_events';
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-'));
// Two files of one program: the probe is on the server's alone, as on an API server whose clients are elsewhere.
const [server, client] = ['server', 'client'].map((name) => join(folder, name));
execFileSync('go', ['build', '-ldflags', '-s -w', '-o', server, 'held.go'], {
  cwd: join(ROOT, 'fixtures/go-programs/source'),
  env: { ...process.env, GO111MODULE: 'off', CGO_ENABLED: '0' },
});
copyFileSync(server, client);

const children = [];
process.on('exit', () => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
});
const serving = spawn(server, ['serve', '1.3']);
children.push(serving);
const [first] = await once(serving.stdout, 'data');
const address = String(first).trim();
// A connection that says nothing keeps the probes where they are, until their bound.
const silent = spawn(client, ['ask', address]);
children.push(silent);
await once(silent.stdout, 'data');

const rate = () =>
  Number(execFileSync(client, ['load', address, values.seconds], { encoding: 'utf8' })) / Number(values.seconds);
const probes = () =>
  readFileSync(EVENTS, 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${server}:`)).length;

const rounds = [];
for (let i = 0; i < Number(values.rounds); i += 1) {
  const without = rate();
  const keys = spawn(process.execPath, [
    join(ROOT, 'bin/kubeseq.js'),
    'keys',
    '--binary',
    server,
    '-w',
    join(folder, 'keys.log'),
  ]);
  children.push(keys);
  let said = '';
  for await (const chunk of keys.stderr.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes('open connections heard: 0 of 1')) break;
  }
  const before = probes();
  const during = rate();
  if (before < 4 || probes() !== before) throw new Error(`the probes were not there: ${said}`);
  keys.kill('SIGINT');
  await once(keys, 'exit');
  if (probes() !== 0) throw new Error('a probe is left');
  rounds.push({ without, during, after: rate() });
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const row = (name, pick) => {
  const all = rounds.map(pick);
  console.log(
    `${name.padEnd(26)}${[Math.min(...all), median(all), Math.max(...all)].map((one) => (one > 100 ? one.toFixed(0) : one.toFixed(2)).padStart(9)).join('')}`,
  );
};
console.log(`${''.padEnd(26)}${['least', 'median', 'most'].map((one) => one.padStart(9)).join('')}`);
row('answers a second, without', ({ without }) => without);
row('with the probes', ({ during }) => during);
row('after they are gone', ({ after }) => after);
row('with / without', ({ during, without }) => during / without);
row('after / without', ({ after, without }) => after / without);
process.exit();
