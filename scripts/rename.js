// Applies a plan of renames with TypeScript's language service, so that every use follows:
//
//   node scripts/rename.js scripts/rename/k1-context.plan
//
// Lines of a plan, `#` begins a comment:
//
//   sym FILE NAME[.MEMBER] NEW     the declaration of NAME, or its member, in FILE
//   all OLD NEW PREFIX...          every declaration of that name in files under the prefixes
//   mv FROM TO                     a file (with its test) or a folder; imports and mentions of the path follow
//   sed FILE... | EXPRESSION       what is left to mend by hand, done last
//
// A destructured local follows its property. Afterwards: biome check --write, tsc, and `npm run outputs -- compare`.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve('.');
const PROPERTIES = new Set([
  ts.SyntaxKind.PropertySignature,
  ts.SyntaxKind.PropertyDeclaration,
  ts.SyntaxKind.MethodSignature,
  ts.SyntaxKind.MethodDeclaration,
  ts.SyntaxKind.GetAccessor,
  ts.SyntaxKind.SetAccessor,
  ts.SyntaxKind.PropertyAssignment,
]);
/** Nodes with a name that only repeat another declaration's. */
const REPEATS = new Set([
  ts.SyntaxKind.ImportSpecifier,
  ts.SyntaxKind.ExportSpecifier,
  ts.SyntaxKind.PropertyAccessExpression,
  ts.SyntaxKind.ShorthandPropertyAssignment,
  ts.SyntaxKind.ImportClause,
  ts.SyntaxKind.NamespaceImport,
]);
const OWNERS = new Set([
  ts.SyntaxKind.InterfaceDeclaration,
  ts.SyntaxKind.ClassDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration,
  ts.SyntaxKind.VariableDeclaration,
  ts.SyntaxKind.FunctionDeclaration,
]);

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

const filesUnder = (folders, ending) =>
  folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => walk(join(ROOT, folder)))
    .filter((file) => ending.test(file));

let failures = 0;
function fail(line, why) {
  failures += 1;
  console.error(`! ${line.join(' ')}: ${why}`);
}

/** Names and where they stand, in one program; collects what is to be written, and writes it at the end. */
class Renamer {
  #files = filesUnder(['src', 'test'], /\.ts$/);
  #edits = new Map();
  #done = new Set();
  #declarations = new Map();
  #picks = null;
  #service;
  #program;

  constructor() {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    const { fileExists, readFile, readDirectory, directoryExists, getDirectories } = ts.sys;
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => this.#files,
      getScriptVersion: () => '1',
      getScriptSnapshot: (file) =>
        existsSync(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, 'utf8')) : undefined,
      getCurrentDirectory: () => ROOT,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      ...{ fileExists, readFile, readDirectory, directoryExists, getDirectories },
    });
    this.#program = this.#service.getProgram();
  }

  symbol(line, [file, path, next]) {
    const [name, member] = path.split('.');
    const known = this.#declarationsIn(join(ROOT, file));
    const exact = known.filter((one) =>
      member === undefined ? one.name === name && one.owner === null : one.name === member && one.owner === name,
    );
    const found = exact.length > 0 ? exact : known.filter((one) => one.name === (member ?? name));
    if (found.length === 0) fail(line, 'not found');
    for (const { name: old, at } of member === undefined ? found.slice(0, 1) : found)
      this.#rename(line, join(ROOT, file), at, old.startsWith('#') ? `#${next}` : next);
  }

  all(line, [old, next, ...prefixes]) {
    let count = 0;
    for (const areProperties of [true, false]) {
      for (const file of this.#files.filter((one) =>
        prefixes.some((prefix) => relative(ROOT, one).startsWith(prefix)),
      )) {
        for (const { name, at, kind } of this.#declarationsIn(file)) {
          if ((name !== old && name !== `#${old}`) || PROPERTIES.has(kind) !== areProperties) continue;
          this.#rename(line, file, at, name.startsWith('#') ? `#${next}` : next);
          count += 1;
        }
      }
    }
    if (count === 0) fail(line, 'nothing found');
  }

  write() {
    for (const [file, edits] of this.#edits) {
      let text = readFileSync(file, 'utf8');
      for (const [start, { length, text: whole, property, local }] of [...edits].sort(([a], [b]) => b - a)) {
        const next = whole ?? (property === local ? property : `${property}: ${local}`);
        text = text.slice(0, start) + next + text.slice(start + length);
      }
      writeFileSync(file, text);
    }
    return this.#edits.size;
  }

  #declarationsIn(file) {
    const known = this.#declarations.get(file);
    if (known !== undefined) return known;
    const source = this.#program.getSourceFile(file);
    const found = [];
    const visit = (node, owner) => {
      const { name } = node;
      const isNamed = name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name));
      if (isNamed && !REPEATS.has(node.kind))
        found.push({ name: name.text, owner, at: name.getStart(source), kind: node.kind });
      ts.forEachChild(node, (child) => visit(child, isNamed && OWNERS.has(node.kind) ? name.text : owner));
    };
    if (source !== undefined) visit(source, null);
    this.#declarations.set(file, found);
    return found;
  }

  #nodeAt(file, at) {
    const source = this.#program.getSourceFile(file);
    let found = source;
    const visit = (node) => {
      if (at < node.getStart(source) || at >= node.end) return;
      found = node;
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  }

  #editsOf(file) {
    if (!this.#edits.has(file)) this.#edits.set(file, new Map());
    return this.#edits.get(file);
  }

  #rename(line, file, at, next) {
    if (this.#done.has(`${file}:${at}`)) return;
    const start = this.#nodeAt(file, at);
    const declared = start.parent;
    const isParameter = ts.isParameter(declared);
    const isProperty = PROPERTIES.has(declared.kind) || (isParameter && (declared.modifiers?.length ?? 0) > 0);
    const isLocal =
      ts.isBindingElement(declared) ||
      (ts.isVariableDeclaration(declared) && !ts.isSourceFile(declared.parent.parent.parent)) ||
      (isParameter && !isProperty);
    if (isLocal) return this.#renameLocal(file, at, start.text, next);
    const places = this.#service.findRenameLocations(file, at, false, false, {
      providePrefixAndSuffixTextForRename: isProperty,
    });
    if (places === undefined) return fail(line, `cannot be renamed in ${relative(ROOT, file)}`);
    if (isProperty && declared.parent?.name !== undefined)
      this.#renameKeys(declared.parent.name.text, start.text, next);
    const locals = [];
    for (const { fileName, textSpan } of places) {
      this.#done.add(`${fileName}:${textSpan.start}`);
      const edits = this.#editsOf(fileName);
      const node = this.#nodeAt(fileName, textSpan.start);
      const before = edits.get(textSpan.start);
      if (isShort(node)) {
        const edit = before ?? { length: textSpan.length, property: node.text, local: node.text };
        edit[isProperty ? 'property' : 'local'] = next;
        edits.set(textSpan.start, edit);
        if (isProperty && ts.isBindingElement(node.parent)) locals.push([fileName, textSpan.start]);
      } else if (before !== undefined && before.text !== next) {
        fail(line, `conflict in ${relative(ROOT, fileName)}: ${before.text}`);
      } else edits.set(textSpan.start, { length: textSpan.length, text: next });
    }
    for (const [place, position] of locals) this.#renameLocal(place, position, start.text, next);
  }

  /** The language service would rename the property of a shorthand, too. */
  #renameLocal(file, at, old, next) {
    const checker = this.#program.getTypeChecker();
    const source = this.#program.getSourceFile(file);
    const edits = this.#editsOf(file);
    const symbol = checker.getSymbolAtLocation(this.#nodeAt(file, at));
    const visit = (node) => {
      ts.forEachChild(node, visit);
      if (!ts.isIdentifier(node) || node.text !== old) return;
      const { parent } = node;
      if ((ts.isPropertyAssignment(parent) || ts.isPropertyAccessExpression(parent)) && parent.name === node) return;
      const is = ts.isShorthandPropertyAssignment(parent)
        ? checker.getShorthandAssignmentValueSymbol(parent)
        : checker.getSymbolAtLocation(node);
      if (is !== symbol) return;
      const start = node.getStart(source);
      this.#done.add(`${file}:${start}`);
      const edit = isShort(node)
        ? (edits.get(start) ?? { length: old.length, property: old })
        : { length: old.length, text: next };
      edits.set(start, { ...edit, local: next });
    };
    visit(source);
  }

  /** Keys of `Pick<Type, 'old'>` are texts. */
  #renameKeys(type, old, next) {
    this.#picks ??= this.#files.flatMap((file) => picksIn(this.#program.getSourceFile(file)));
    for (const { file, of, key, at } of this.#picks)
      if (of === type && key === old) this.#editsOf(file).set(at, { length: old.length, text: next });
  }
}

/** A name that is a property and a local at once: `{ name }`. */
function isShort({ parent }) {
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  const isElement = ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent);
  return isElement && parent.propertyName === undefined && parent.dotDotDotToken === undefined;
}

function picksIn(source) {
  const found = [];
  const visit = (node) => {
    ts.forEachChild(node, visit);
    if (!ts.isTypeReferenceNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    const name = (node.typeName ?? node.expression).getText(source);
    if (!/^(?:Pick|Omit)$/.test(name) || node.typeArguments?.length !== 2) return;
    const [of, keys] = node.typeArguments;
    for (const key of ts.isUnionTypeNode(keys) ? keys.types : [keys])
      if (ts.isLiteralTypeNode(key) && ts.isStringLiteral(key.literal))
        found.push({
          file: source.fileName,
          of: of.getText(source),
          key: key.literal.text,
          at: key.literal.getStart(source) + 1,
        });
  };
  visit(source);
  return found;
}

/** Files of `mv` lines, each with where it goes; a later line wins. */
function movesOf(lines) {
  const moved = new Map();
  for (const line of lines) {
    const [from, to] = line.slice(1).map((path) => join(ROOT, path));
    if (!existsSync(from)) fail(line, 'no such file');
    else if (statSync(from).isDirectory())
      for (const file of walk(from)) moved.set(file, join(to, relative(from, file)));
    else {
      moved.set(from, to);
      const test = from.replace(/(?<!\.test)\.ts$/, '.test.ts');
      if (test !== from && existsSync(test)) moved.set(test, to.replace(/\.ts$/, '.test.ts'));
    }
  }
  return moved;
}

function move(lines) {
  const moved = movesOf(lines);
  if (moved.size === 0) return 0;
  for (const file of filesUnder(['src', 'test', 'scripts', 'bin'], /\.(?:ts|js|json|css)$/)) {
    const at = moved.get(file) ?? file;
    edit(file, (text) =>
      text.replace(/(['"])(\.{1,2}\/[^'"\n]*)\1/g, (whole, quote, path) => {
        const there = resolve(dirname(file), path);
        const target = [there, there.replace(/\.js$/, '.ts')].find((one) => existsSync(one));
        if (target === undefined || (!moved.has(target) && at === file)) return whole;
        const way = relative(dirname(at), moved.get(target) ?? target);
        const dotted = way.startsWith('.') ? way : `./${way}`;
        const named = path.endsWith('.js') && target.endsWith('.ts') ? dotted.replace(/\.ts$/, '.js') : dotted;
        return quote + (path.endsWith('/') && !named.endsWith('/') ? `${named}/` : named) + quote;
      }),
    );
  }
  for (const [from, to] of moved) {
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  rewriteMentions(lines);
  return moved.size;
}

/** Paths in documents, scripts and configuration, longest first. */
function rewriteMentions(lines) {
  const stem = (path) => path.replace(/(?:\.test)?\.ts$/, '');
  const table = lines.map(([, from, to]) => [stem(from), stem(to)]).sort(([a], [b]) => b.length - a.length);
  const loose = [
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'vitest.config.ts',
    'biome.json',
    'README.md',
    'CONTRIBUTING.md',
  ];
  const files = filesUnder(['docs', 'scripts', 'test', 'src', '.github'], /\.(?:md|json|js|ts|ya?ml|css)$/);
  for (const file of [...files, ...loose.map((one) => join(ROOT, one))]) {
    edit(file, (before) =>
      table.reduce((text, [from, to]) => {
        if (!text.includes(from)) return text;
        return text.replace(new RegExp(`(?<![\\w./-])${from.replace(/[.\\/-]/g, '\\$&')}(?![\\w-])`, 'g'), to);
      }, before),
    );
  }
}

function edit(file, change) {
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after !== before) writeFileSync(file, after);
}

const lines = readFileSync(process.argv[2], 'utf8')
  .split('\n')
  .map((line) => line.replace(/#.*$/, '').trim())
  .filter((line) => line !== '');
const steps = lines.filter((line) => !line.startsWith('sed ')).map((line) => line.split(/\s+/));
const renamer = new Renamer();
for (const [verb, ...words] of steps) {
  if (verb === 'sym') renamer.symbol([verb, ...words], words);
  else if (verb === 'all') renamer.all([verb, ...words], words);
  else if (verb !== 'mv') fail([verb, ...words], 'unknown');
}
const edited = renamer.write();
const moves = move(steps.filter(([verb]) => verb === 'mv'));
for (const line of lines.filter((one) => one.startsWith('sed '))) {
  const [, names, expression] = /^sed (.*?) \| (.*)$/.exec(line);
  execFileSync('bash', ['-c', `sed -i "$0" ${names}`, expression], { cwd: ROOT, stdio: 'inherit' });
}
console.log(`${edited} files edited, ${moves} moved, ${failures} failures`);
process.exitCode = failures > 0 ? 1 : 0;
