// Reads every import of src/ and holds it against the rules of docs/architecture.md.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('.', import.meta.url));

/**
 * Folder → folders of which it may import types, and what it may import whole: a neighbour's vocabulary (the file of its
 * types, where a flag's number or the other side's name stands beside them), never its code. Its own and core/ always.
 */
const RULES: Readonly<Record<string, { types: readonly string[]; all: readonly string[] }>> = {
  core: { types: [], all: [] },
  capture: { types: [], all: [] },
  packet: { types: ['capture'], all: [] },
  tcp: { types: ['packet'], all: ['packet/segment'] },
  tls: { types: ['tcp', 'packet'], all: ['tcp/stream-event'] },
  http: { types: ['tcp', 'tls', 'packet'], all: ['tcp/stream-event'] },
  // Between the parts of the pipeline, whose words it carries.
  relay: { types: ['streams', 'connections', 'tcp', 'http'], all: [] },
  protobuf: { types: [], all: [] },
  // Which failures may be told is one rule, for labels and for bodies; labels are put together from texts that may be shown.
  kubernetes: {
    types: ['http', 'tcp', 'packet', 'redaction'],
    all: ['protobuf', 'redaction/failures', 'redaction/names', 'redaction/shown'],
  },
  // Which fields a body has, and of which types they are.
  redaction: { types: [], all: ['protobuf'] },
  sequence: {
    types: ['kubernetes'],
    all: ['kubernetes/network/place-name', 'kubernetes/tiers', 'kubernetes/api-group'],
  },
  // Who could be meant by a name that nobody of a capture has.
  expectation: { types: ['kubernetes'], all: ['sequence', 'kubernetes/known-programs'] },
  diff: { types: ['kubernetes'], all: ['sequence', 'expectation/diagram', 'expectation/markup'] },
  life: { types: ['kubernetes'], all: ['kubernetes/kinds'] },
  render: {
    types: ['sequence', 'kubernetes', 'diff', 'expectation', 'life'],
    all: ['sequence/model', 'sequence/phases', 'expectation/report', 'expectation/generated'],
  },
  markdown: { types: [], all: [] },
  saved: {
    types: ['kubernetes', 'http', 'tcp', 'capture', 'redaction'],
    all: [
      'redaction/names',
      'redaction/shown',
      'kubernetes/labels',
      'kubernetes/shown-message',
      'render',
      'version',
      'kubernetes/components',
      'kubernetes/tiers',
      'kubernetes/details-context',
      'kubernetes/details-types',
    ],
  },
  // Runs in a browser: sees what a page holds, and nothing of how it was made.
  page: { types: [], all: ['render/html-format', 'render/html-escape', 'render/json-text', 'render/terminal-escape'] },
  keys: { types: [], all: [] },
  cli: { types: [], all: ['index'] },
};

/** node modules that do input or output, or tell the time, wherever they are imported. */
const IO =
  /^(?:node:)?(?:fs|fs\/promises|net|http|https|http2|tls|dgram|child_process|worker_threads|readline|os|process|timers|timers\/promises)$/;
const GLOBALS = /(?<![.\w])(?:process\.|console\.|Date\.now\(|performance\.|setTimeout\(|setInterval\(|setImmediate\()/;

/** What makes any text one that may be shown. */
const IMPORTS_SHOWN = /^import \{[^}]*\bshown\b[^}]*\} from '[^']*redaction\/shown\.js';/m;

interface Import {
  readonly file: string;
  readonly from: string;
  readonly typesOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

function importsOf(path: string): Import[] {
  const text = readFileSync(path, 'utf8');
  const file = relative(SRC, path);
  return [...text.matchAll(/^(import|export)\s+(type\s+)?([^;]*?)\s*from\s+'([^']+)';/gms)].map((match) => ({
    file,
    from: match[4],
    typesOnly: match[2] !== undefined || /^\{(?:\s*type\s+[^,}]+,?)+\s*\}$/.test(match[3]),
  }));
}

function target({ file, from }: Import): string | null {
  if (!from.startsWith('.')) return null;
  return relative(SRC, join(SRC, dirname(file), from)).replace(/\.js$/, '');
}

const FILES = sourceFiles(SRC);
const IMPORTS = FILES.flatMap(importsOf);

describe('import rules', () => {
  it('reads the sources at all', () => {
    expect(FILES.length).toBeGreaterThan(50);
    expect(IMPORTS.length).toBeGreaterThan(200);
  });

  it('every folder has a rule', () => {
    const folders = new Set(
      FILES.map((file) => relative(SRC, file))
        .filter((file) => file.includes('/'))
        .map((file) => file.split('/')[0]),
    );
    expect([...folders].filter((folder) => RULES[folder] === undefined)).toEqual([]);
  });

  it('a folder sees core/ and the types of the folder before it', () => {
    const broken = IMPORTS.filter((one) => {
      const folder = one.file.split('/')[0];
      const to = target(one);
      if (to === null || !one.file.includes('/')) return false;
      const toFolder = to.split('/')[0];
      const rule = RULES[folder];
      if (toFolder === folder || (toFolder === 'core' && folder !== 'cli')) return false;
      if (rule.all.some((allowed) => to === allowed || toFolder === allowed)) return false;
      return !(one.typesOnly && rule.types.includes(toFolder));
    });
    expect(broken.map(({ file, from }) => `${file} imports ${from}`)).toEqual([]);
  });

  it('only the redaction says what may be shown', () => {
    const elsewhere = FILES.filter((file) => !relative(SRC, file).startsWith('redaction/')).filter((file) => {
      const text = readFileSync(file, 'utf8');
      return /\bas (?:unknown as )?Shown(?:Value)?\b/.test(text) || IMPORTS_SHOWN.test(text);
    });
    expect(elsewhere.map((file) => relative(SRC, file))).toEqual([]);
  });

  it('node:crypto is for tls/ and cli/ only', () => {
    const users = IMPORTS.filter(({ from }) => from === 'node:crypto').map(({ file }) => file.split('/')[0]);
    expect([...new Set(users)].filter((folder) => folder !== 'tls' && folder !== 'cli')).toEqual([]);
  });

  it('no input, output, clock or logging outside cli/', () => {
    const importing = IMPORTS.filter(({ file, from }) => !file.startsWith('cli/') && IO.test(from)).map(
      ({ file }) => file,
    );
    const using = FILES.filter((file) => !relative(SRC, file).startsWith('cli/'))
      .filter((file) => GLOBALS.test(readFileSync(file, 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')))
      .map((file) => relative(SRC, file));
    expect([...importing, ...using]).toEqual([]);
  });

  it('a document is for page/dom/ only, and nothing there makes text into markup', () => {
    const code = (file: string): string => readFileSync(file, 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
    const isDom = (file: string): boolean => relative(SRC, file).startsWith('page/dom/');
    const elsewhere = FILES.filter(
      (file) => relative(SRC, file).startsWith('page/') && !isDom(file) && /\b(?:document|window)\.\w/.test(code(file)),
    );
    const markup = FILES.filter(isDom).filter((file) =>
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/.test(code(file)),
    );
    expect([...elsewhere, ...markup].map((file) => relative(SRC, file))).toEqual([]);
    expect(FILES.filter(isDom).length).toBeGreaterThan(5);
  });

  it('no cycles between folders', () => {
    const edges = new Map<string, Set<string>>();
    for (const one of IMPORTS) {
      const to = target(one);
      if (to === null || !one.file.includes('/') || !to.includes('/')) continue;
      const [from, into] = [one.file.split('/')[0], to.split('/')[0]];
      if (from !== into) edges.set(from, (edges.get(from) ?? new Set()).add(into));
    }
    const reaches = (from: string, goal: string, seen = new Set<string>()): boolean =>
      [...(edges.get(from) ?? [])].some(
        (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
      );
    expect([...edges.keys()].filter((folder) => reaches(folder, folder))).toEqual([]);
  });

  it('files stay readable: none over 500 lines', () => {
    const long = FILES.filter((file) => !file.includes('/tables/'))
      .map((file) => ({ file: relative(SRC, file), lines: readFileSync(file, 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 500);
    expect(long).toEqual([]);
  });

  it('every file opens with its law', () => {
    const without = FILES.filter((file) => !/^(?:\/\/|\/\*\*)/.test(readFileSync(file, 'utf8')));
    expect(without.map((file) => relative(SRC, file))).toEqual([]);
  });
});
