// `kubeseq docs PAGE...` updates the generated blocks of Markdown pages. A page is written completely or not at all,
// and only if it changed.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Block, blocksOf, PageError, withContents, withVersionOf } from '../../index.js';
import { CliError, EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED, printError } from '../cli-error.js';
import { blockContent } from '../input/block.js';
import { CaptureCache } from '../input/capture-cache.js';
import { readText } from '../input/input.js';
import { givenOf, type PageOptions, settingsOf } from '../input/page-options.js';
import { writeOutput } from '../output/output.js';
import { patchOf } from '../output/patch.js';

export interface DocsOptions extends PageOptions {
  readonly check?: true;
  readonly new?: true;
}

export async function docs(names: readonly string[], options: DocsOptions): Promise<number> {
  if (options.anonymizer !== undefined)
    throw new CliError(
      'a page names its captures, and has their names again whenever it is refreshed: kubeseq export --anonymize -w FILE.ndjson, and name that file in it',
    );
  const captured = new CaptureCache(options);
  if (options.new === true) return newPage(names, options, captured);
  refuseOptionsOfNew(options);
  let diagrams = 0;
  let wrong = 0;
  for (const name of names.flatMap(pagesIn)) {
    const page = readText(name);
    const { page: fresh, count, empty } = await refreshed(page, name, captured);
    if (captured.interrupted) return EXIT_INTERRUPTED;
    diagrams += count;
    // A page in a folder may have no blocks; a page that is named must have one.
    if (count === 0 && names.includes(name) && options.quiet !== true) printError(`${name} ${NO_DIAGRAM}`);
    for (const line of empty) printError(line);
    if (empty.length > 0 || fresh !== page) wrong += 1;
    if (fresh === page) continue;
    if (options.check === true) {
      printError(`${name} is stale; kubeseq docs ${name} rewrites it`);
      await writeOutput(undefined, patchOf(name, page, fresh));
    } else await writeOutput(name, fresh);
  }
  if (options.check !== true) return EXIT_FINE;
  if (diagrams > 0) return wrong > 0 ? EXIT_DIFFERENT : EXIT_FINE;
  printError(`nothing was checked: ${names.join(' ')} ${NO_DIAGRAM}`);
  return EXIT_DIFFERENT;
}

/** @returns the updated page, and a line for each diagram without an arrow. */
async function refreshed(
  page: string,
  name: string,
  captured: CaptureCache,
): Promise<{ readonly page: string; readonly count: number; readonly empty: readonly string[] }> {
  const blocks = blocksIn(page, name);
  const contents: string[] = [];
  const empty: string[] = [];
  for (const block of blocks) {
    const content = await blockContent(block, dirname(name), name, captured);
    if (content.empty !== null) empty.push(`${name}:${block.line}: a diagram without arrows: ${content.empty}`);
    contents.push(withVersionOf(content.text, page.slice(block.start, block.end)));
  }
  return { page: withContents(page, blocks, contents), count: blocks.length, empty };
}

function blocksIn(page: string, name: string): Block[] {
  try {
    return blocksOf(page);
  } catch (error) {
    throw error instanceof PageError ? new CliError(`${name}:${error.line}: ${error.message}`) : error;
  }
}

/** An example page about a capture, with all settings. */
async function newPage(
  [name, ...captures]: readonly string[],
  options: DocsOptions,
  captured: CaptureCache,
): Promise<number> {
  if (options.check === true) throw new CliError('--new makes a page, --check looks at one; choose');
  if (captures.length === 0)
    throw new CliError('--new needs a page and its captures: kubeseq docs --new PAGE CAPTURE...');
  if (existsSync(name)) throw new CliError(`${name} is there already; kubeseq docs ${name} keeps it current`);
  if (!existsSync(dirname(name))) throw new CliError(`${dirname(name)}: no such folder; make it first`);
  const page = firstPage(captures, name, options);
  const { page: fresh, empty } = await refreshed(page, name, captured);
  await writeOutput(name, fresh);
  for (const line of empty) printError(line);
  return captured.interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}

function firstPage(captures: readonly string[], name: string, options: DocsOptions): string {
  const [first] = captures;
  const words = settingsOf({ ...options, capture: captures }, (file) => fromPage(name, file));
  const title = options.follow ?? basename(first).replace(/(?:\.pcap|\.pcapng|\.ndjson|\.gz)+$/, '');
  return [
    `# ${title.replace(/[^\w./ -]/g, ' ')}`,
    '',
    'What happened, arrow by arrow. `kubeseq docs` keeps the diagram and what follows it current; everything else on this',
    'page is yours to write.',
    '',
    `<!-- kubeseq ${words.join(' ')} -->`,
    '',
  ].join('\n');
}

function fromPage(name: string, file: string): string {
  if (file === '-') throw new CliError('a page needs a file as its capture; standard input is gone afterwards');
  return relative(dirname(resolve(name)), resolve(file)).replaceAll('\\', '/');
}

function refuseOptionsOfNew(options: DocsOptions): void {
  const [first] = givenOf(options);
  if (first !== undefined)
    throw new CliError(
      `--${first.name()} belongs into the page's comment (${first.name()}=…); on the command line only with --new`,
    );
}

/** The Markdown files of folders and their subfolders. */
function pagesIn(name: string): string[] {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found === undefined) throw new CliError(`${name}: no such file; check the path`);
  if (!found.isDirectory()) return [name];
  return readdirSync(name, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(name, entry.name);
      if (entry.isDirectory()) return pagesIn(path);
      return entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name) ? [path] : [];
    });
}

const NO_DIAGRAM = 'names no capture: <!-- kubeseq capture=FILE --> begins a diagram';
