// Lists the commands whose output has to stay when the code is rearranged: every fixture through every question.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @returns {{name: string, args: string[]}[]} `name` is the file that holds the output, `args` those of kubeseq. */
export function runsOf(fixture) {
  const captures = filesOf(fixture, /\.pcap(?:ng)?(?:\.gz)?$/);
  if (captures.length === 0) return [];
  const keys = filesOf(fixture, /^(?:true-)?keys\.log(?:\.gz)?$/).flatMap((path) => ['--keylog', path]);
  // A second capture of the same frames that has the secrets inside is an observation of its own.
  const embedded = captures.filter((path) => path.includes('with-secrets'));
  const separate = captures.filter((path) => !path.includes('with-secrets'));
  return [
    ...questionsOf(fixture, `${fixture}/`, [...separate, ...keys]),
    ...embedded.flatMap((path) => questionsOf(fixture, `${fixture}/${nameOf(path)}.`, [path])),
  ];
}

function questionsOf(fixture, prefix, inputs) {
  const run = (name, ...args) => ({ name: `${prefix}${name}`, args: [...args, ...inputs, '-q', '--no-progress'] });
  return [
    run('messages.ndjson', 'messages', '-o', 'ndjson'),
    run('summary.json', 'summary', '-o', 'json'),
    run('diagram.mmd', 'diagram', '--no-overview'),
    run('overview.mmd', 'diagram', '--overview'),
    run('diagram-all.mmd', 'diagram', '--all', '--layers', 'all'),
    ...followedIn(fixture).map((words) => run(`follow-${fileName(words)}.mmd`, 'diagram', ...words)),
    ...expectationsOf(fixture).map((path) => run(`check-${nameOf(path)}.txt`, 'check', path)),
  ];
}

export function fixtureNames() {
  return readdirSync(`${ROOT}fixtures`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** The options that the stories select their objects with, as `docs/` has them: `follow=`, `namespace=`, `layers=`. */
function followedIn(fixture) {
  const texts = readdirSync(`${ROOT}docs`, { recursive: true })
    .filter((path) => path.endsWith('.md'))
    .map((path) => readFileSync(`${ROOT}docs/${path}`, 'utf8'));
  const blocks = texts.flatMap((text) =>
    [...text.matchAll(/<!-- kubeseq (capture=[^>]*?)-->/g)].map(([, words]) => words),
  );
  const chosen = blocks
    .filter((words) => words.includes(`/${fixture}/`) && words.includes('follow='))
    .map((words) =>
      [...words.matchAll(/\b(follow|namespace|layers)=(\S+)/g)].flatMap(([, option, value]) => [`--${option}`, value]),
    );
  return [...new Map(chosen.map((words) => [words.join(' '), words])).values()];
}

/** Expectations of a fixture; those of `fixtures/check` are about `kubectl run nginx`. */
function expectationsOf(fixture) {
  return [...filesOf(fixture, /\.mmd$/), ...(fixture.startsWith('run-nginx-') ? filesOf('check', /\.mmd$/) : [])];
}

function filesOf(fixture, pattern) {
  const folder = `${ROOT}fixtures/${fixture}`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => pattern.test(file))
    .sort()
    .map((file) => `fixtures/${fixture}/${file}`);
}

function nameOf(path) {
  return basename(path).replace(/\..*$/, '');
}

function fileName(words) {
  return words
    .filter((word) => !word.startsWith('--'))
    .join('-')
    .replace(/[^A-Za-z0-9.-]+/g, '-');
}
