// Draws SVG and PNG from mermaid text with @mermaid-js/mermaid-cli and a browser of the system. Both are optional,
// and an error has the command to install them.

import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CliError } from '../cli-error.js';
import { optionalPackage } from '../optional-package.js';
import { IS_EXECUTABLE } from '../program-parts.js';

export interface ImageOptions {
  /** false: without the sandbox, as necessary for root. */
  readonly sandbox?: boolean;
}

/** @throws CliError if a part is not installed, or the browser fails. */
export async function drawImage(mermaid: string, format: 'svg' | 'png', options: ImageOptions): Promise<Uint8Array> {
  const command = mermaidCli();
  const folder = await mkdtemp(join(tmpdir(), 'kubeseq-image-'));
  try {
    const path = (name: string): string => join(folder, name);
    await writeFile(path('in.mmd'), mermaid);
    await writeFile(path('mermaid.json'), JSON.stringify(MERMAID_CONFIG));
    await writeFile(path('browser.json'), JSON.stringify(browserConfig(options)));
    const scale = format === 'png' && mermaid.length <= SHARP ? ['-s', '2'] : [];
    const args = [
      '-i',
      path('in.mmd'),
      '-o',
      path(`out.${format}`),
      '-c',
      path('mermaid.json'),
      '-p',
      path('browser.json'),
    ];
    await run([...command, ...args, ...scale, '-q']);
    return await readFile(path(`out.${format}`)).catch(() => {
      throw new CliError(
        'mermaid-cli drew nothing; kubeseq -o mermaid gives the text, which any mermaid renderer draws',
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Looks beside kubeseq, among npm's global packages, and in PATH. */
function mermaidCli(): readonly string[] {
  const folder = optionalPackage(PACKAGE);
  const node = IS_EXECUTABLE ? program(['node']) : process.execPath;
  if (folder !== null && node !== null) return [node, join(folder, 'node_modules', PACKAGE, 'src', 'cli.js')];
  const onPath = program(['mmdc']);
  if (onPath !== null) return [onPath];
  throw new CliError(
    `SVG and PNG need ${IS_EXECUTABLE ? 'Node.js and ' : ''}${PACKAGE}; npm install ${PACKAGE}@11 puppeteer@npm:puppeteer-core@24, and a Chromium`,
  );
}

function browserConfig({ sandbox }: ImageOptions): object {
  const executablePath = process.env['PUPPETEER_EXECUTABLE_PATH'] ?? program(BROWSERS) ?? undefined;
  return { executablePath, args: sandbox === false ? [...QUIET, '--no-sandbox'] : QUIET };
}

function program(names: readonly string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    for (const folder of folders) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Try the next folder.
      }
    }
  }
  return null;
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: TIME_LIMIT_MS });
  let errorOutput = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (errorOutput.length < MAX_ERROR_OUTPUT) errorOutput += chunk.toString('utf8');
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (status !== 0) throw new CliError(whyNot(errorOutput, status));
}

function whyNot(errorOutput: string, status: number | null): string {
  if (errorOutput.includes('--no-sandbox'))
    return 'Chromium has no sandbox here (as for root, or in a container); add --no-sandbox';
  if (
    /Could not find Chrome|executablePath.*must be specified|Failed to launch|Browser was not found/.test(errorOutput)
  )
    return 'no browser to draw with; install Chromium (apt-get install chromium), or name it in PUPPETEER_EXECUTABLE_PATH';
  if (status === null)
    return `the diagram was not drawn within ${TIME_LIMIT_MS / 1000} s; draw less of it (--follow, --since)`;
  const line = errorOutput.split('\n').find((text) => /\S/.test(text)) ?? `exit status ${status}`;
  return `mermaid-cli: ${line.trim().slice(0, 300)}`;
}

const PACKAGE = '@mermaid-js/mermaid-cli';
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
/** Disables all network requests of the browser. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
];
/**
 * A file is no web page, so mermaid's limit of 50,000 characters has no reason here. mermaid's default list of fonts ends with a semicolon,
 * so that browsers ignore it: texts are then measured in another font, and notes are too narrow for them.
 */
const MERMAID_CONFIG = {
  maxTextSize: 10_000_000,
  fontFamily: '"trebuchet ms", verdana, arial, sans-serif',
  sequence: { useMaxWidth: false },
};
/** Characters of mermaid text up to which a PNG has two pixels for one: Chromium draws 16,384 pixels in height. */
const SHARP = 12_000;
/** Limit in ms: time in which mermaid-cli draws a diagram. */
const TIME_LIMIT_MS = 180_000;
/** Limit: characters of the browser's output that are kept and searched. */
const MAX_ERROR_OUTPUT = 64 * 1024;
