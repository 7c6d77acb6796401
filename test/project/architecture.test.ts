// Reads every import of src/ and holds it against the rules of docs/architecture.md.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CIRCLES, DOUBLED_TYPE_NAMES, FILES_PER_FOLDER, FLOORS, RULES, WITHIN } from '../kit/import-rules.js';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

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
  const named = [...text.matchAll(/^(import|export)\s+(type\s+)?([^;]*?)\s*from\s+'([^']+)';/gms)].map((match) => ({
    file,
    from: match[4],
    typesOnly: match[2] !== undefined || /^\{(?:\s*type\s+[^,}]+,?)+\s*\}$/.test(match[3]),
  }));
  // `typeof import('…')` names types; `await import('…')` loads later.
  const inExpressions = [...text.matchAll(/(typeof )?\bimport\('([^']+)'\)/g)].map((match) => ({
    file,
    from: match[2],
    typesOnly: match[1] !== undefined,
  }));
  return [...named, ...inExpressions];
}

function target({ file, from }: Import): string | null {
  if (!from.startsWith('.')) return null;
  return relative(SRC, join(SRC, dirname(file), from)).replace(/\.js$/, '');
}

/** Sets of files that import each other (Tarjan's strongly connected components with more than one member). */
function circles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const out: string[][] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    lowest.set(file, own);
    open.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) lowest.set(file, Math.min(lowest.get(file)!, visit(next)));
      else if (open.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, order.get(next)!));
    }
    if (lowest.get(file) === own) {
      const members = open.splice(open.indexOf(file));
      if (members.length > 1) out.push(members);
    }
    return lowest.get(file)!;
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return out;
}

const TYPE_NAME =
  /^(?:export )?(?:declare )?(?:abstract )?(?:(?:interface|class|enum) (\w+)|type (\w+)(?:<[^=]*>)? =)/gm;

/** A namespace and a name, or a resource and a name, in a template. */
const OBJECT_NAME =
  /\$\{[^}]*[nN]amespace[^}]*\}[ /]\$\{[^}]*(?:[nN]ame|pod)\}|\$\{[^}]*(?:resource|[kK]ind)[^}]*\}\/\$\{[^}]*name\}/;

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

  it('a folder imports from its own stage what its row has, and each of that', () => {
    const seen = new Map<string, Set<string>>();
    for (const one of IMPORTS) {
      const to = target(one);
      const [from, into] = [dirname(one.file), to === null ? '.' : dirname(to)];
      const stage = from.split('/')[0];
      if (stage === '.' || into.split('/')[0] !== stage || into === from) continue;
      seen.set(from, (seen.get(from) ?? new Set()).add(into.slice(stage.length + 1) || '.'));
    }
    const actual = Object.fromEntries([...seen].map(([folder, others]) => [folder, [...others].sort()]));
    expect(actual).toEqual(WITHIN);
  });

  it('kubernetes/ stands on floors, and no import goes upwards', () => {
    const floorOf = (path: string): number => {
      const [stage, folder, file] = path.split('/');
      if (stage !== 'kubernetes') return -1;
      return file === undefined ? FLOORS.length : FLOORS.findIndex((floor) => floor.includes(folder));
    };
    const inside = FILES.map((file) => relative(SRC, file)).filter((file) => file.startsWith('kubernetes/'));
    expect(inside.filter((file) => floorOf(file) < 0)).toEqual([]);
    const upward = IMPORTS.filter((one) => floorOf(target(one) ?? '') > floorOf(one.file) && floorOf(one.file) >= 0);
    expect(upward.map(({ file, from }) => `${file} imports ${from}`)).toEqual([]);
  });

  it('only the redaction decides what may be shown', () => {
    const elsewhere = FILES.filter((file) => !relative(SRC, file).startsWith('redaction/')).filter((file) => {
      const text = readFileSync(file, 'utf8');
      return /\bas (?:unknown as )?Shown(?:Value)?\b/.test(text) || IMPORTS_SHOWN.test(text);
    });
    expect(elsewhere.map((file) => relative(SRC, file))).toEqual([]);
  });

  it('what Node.js has of its own is for platform/, cli/ and keys/ only: the rest runs in browsers too', () => {
    const isNode = (file: string): boolean => /^(?:platform\/[^/]+|cli\/.*|keys\/.*)$/.test(file);
    const importing = IMPORTS.filter(({ file, from }) => from.startsWith('node:') && !isNode(file));
    const using = FILES.map((file) => relative(SRC, file)).filter(
      (file) =>
        !isNode(file) &&
        /\bBuffer[.[]/.test(readFileSync(join(SRC, file), 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')),
    );
    expect([...importing.map(({ file, from }) => `${file} imports ${from}`), ...using]).toEqual([]);
    expect(IMPORTS.some(({ file, from }) => file === 'platform/ciphers.ts' && from === 'node:crypto')).toBe(true);
  });

  it('no input, output, clock or logging outside cli/', () => {
    // The library's reader of files is loaded where a program names a path, and nowhere else.
    const importing = IMPORTS.filter(
      ({ file, from }) => !file.startsWith('cli/') && file !== 'platform/files.ts' && IO.test(from),
    ).map(({ file }) => file);
    const using = FILES.filter((file) => !relative(SRC, file).startsWith('cli/'))
      .filter((file) => GLOBALS.test(readFileSync(file, 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')))
      .map((file) => relative(SRC, file));
    expect([...importing, ...using]).toEqual([]);
  });

  it('a document is for explorer/dom/ and opener/dom/ only, and nothing there makes text into markup', () => {
    const code = (file: string): string => readFileSync(file, 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
    const isDom = (file: string): boolean => /^(?:explorer|opener)\/dom\//.test(relative(SRC, file));
    const elsewhere = FILES.filter(
      (file) =>
        /^(?:explorer|opener)\//.test(relative(SRC, file)) &&
        !isDom(file) &&
        /\b(?:document|window)\.\w/.test(code(file)),
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

  it('no circles of files, types and late imports included', () => {
    const edges = new Map<string, string[]>();
    for (const one of IMPORTS) {
      const to = target(one);
      if (to !== null) edges.set(one.file, [...(edges.get(one.file) ?? []), `${to}.ts`]);
    }
    expect(circles(edges).flat().sort()).toEqual(CIRCLES);
  });

  it('cli/ has no circle of folders and loose files', () => {
    const roomOf = (file: string): string => (dirname(file) === 'cli' ? file : dirname(file));
    const edges = new Map<string, string[]>();
    for (const one of IMPORTS) {
      const to = target(one);
      if (to === null || !one.file.startsWith('cli/') || !to.startsWith('cli/')) continue;
      const [from, into] = [roomOf(one.file), roomOf(`${to}.ts`)];
      if (from !== into) edges.set(from, [...(edges.get(from) ?? []), into]);
    }
    expect(edges.size).toBeGreaterThan(20);
    expect(circles(edges)).toEqual([]);
  });

  it('src/ has two loose files, and no folder more than a reader takes in at a glance', () => {
    const levels = new Map<string, string[]>();
    for (const file of FILES.map((path) => relative(SRC, path)))
      levels.set(dirname(file), [...(levels.get(dirname(file)) ?? []), file]);
    expect(levels.get('.')).toEqual(['index.ts', 'version.ts']);
    expect([...levels].filter(([, files]) => files.length > FILES_PER_FOLDER)).toEqual([]);
  });

  it('a type name has one meaning', () => {
    const places = new Map<string, Set<string>>();
    for (const file of FILES)
      for (const [, declared, alias] of readFileSync(file, 'utf8').matchAll(TYPE_NAME)) {
        const name = declared ?? alias;
        places.set(name, (places.get(name) ?? new Set()).add(relative(SRC, file)));
      }
    const doubled = [...places].filter(([, files]) => files.size > 1).map(([name, files]) => [name, ...files]);
    expect(doubled.length <= DOUBLED_TYPE_NAMES ? [] : doubled).toEqual([]);
  });

  it('which namespace an object is in has one answer', () => {
    const comparing = sourceFiles(SRC).filter((file) =>
      /(?:[rR]esource|Kind) ?[!=]== (?:'namespaces'|NAMESPACES)/.test(readFileSync(file, 'utf8')),
    );
    expect(comparing.map((file) => relative(SRC, file))).toEqual(['kubernetes/api/object-ref.ts']);
  });

  it('kinds that stand in for an object are known by name in two files', () => {
    const naming = FILES.filter((file) =>
      /'(?:Table|PartialObjectMetadata)(?:List)?'|[(|](?:Table|PartialObjectMetadata)[)|(]/.test(
        readFileSync(file, 'utf8'),
      ),
    );
    expect(naming.map((file) => relative(SRC, file))).toEqual([
      'kubernetes/objects/object-info.ts',
      'redaction/body/extra-kinds.ts',
    ]);
  });

  it('the key and the text of an object are written in one place', () => {
    const writing = sourceFiles(SRC).filter((file) => OBJECT_NAME.test(readFileSync(file, 'utf8')));
    expect(writing.map((file) => relative(SRC, file))).toEqual(['kubernetes/api/object-ref.ts']);
  });

  it('files stay readable: none over 450 lines', () => {
    const long = FILES.filter((file) => !file.includes('/tables/'))
      .map((file) => ({ file: relative(SRC, file), lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > 450);
    expect(long).toEqual([]);
  });

  it('every file starts with a header comment', () => {
    const without = FILES.filter((file) => !/^(?:\/\/|\/\*\*)/.test(readFileSync(file, 'utf8')));
    expect(without.map((file) => relative(SRC, file))).toEqual([]);
  });
});
