// Output that is longer than the terminal goes through a pager, as with git; what is shorter, saved or piped does not.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { NO_TERMINAL, TerminalSession } from '../kit/terminal.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-pager-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const CAPTURE = 'fixtures/run-nginx-http1/capture.pcap.gz';
/** Whatever the terminal, which would be shown a text. */
const DRAWING = ['-o', 'mermaid', CAPTURE];
const LATE = ['fixtures/late-start-tls/capture.pcap.gz', '--keylog', 'fixtures/late-start-tls/keys.log.gz'];
const SIZE = { rows: 20, columns: 100 };

let files = 0;
/** A pager that keeps what it got. */
function keeping(): { readonly command: string; readonly kept: () => string | null } {
  files += 1;
  const file = join(FOLDER, `paged-${files}`);
  const program = join(FOLDER, `pager-${files}.sh`);
  writeFileSync(program, `#!/bin/sh\ncat > ${file}\necho the pager ends here\n`, { mode: 0o755 });
  const kept = (): string | null => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return null;
    }
  };
  return { command: program, kept };
}

async function onTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<TerminalSession> {
  const session = new TerminalSession(args, SIZE, {
    PAGER: undefined,
    KUBESEQ_PAGER: undefined,
    NO_COLOR: '1',
    ...env,
  });
  await session.ended;
  return session;
}

describe.skipIf(NO_TERMINAL !== '')('on a terminal', () => {
  it('the diagram is a text, and its last line says how to get a picture', async () => {
    const { text } = await onTerminal([CAPTURE, '--follow', 'pod/nginx', '--no-pager'], {});
    expect(text).not.toContain('sequenceDiagram');
    expect(text).toMatch(/kubectl.+kube-apiserver/);
    expect(text.trimEnd().split('\n').at(-1)).toContain('-w story.svg');
    expect((await onTerminal([...DRAWING, '--no-pager'], {})).text).not.toContain('story.svg');
  });

  it('long output goes to PAGER, whole', async () => {
    const { command, kept } = keeping();
    const { text } = await onTerminal(DRAWING, { PAGER: command });
    expect(kept()).toBe(kubeseq(DRAWING).stdout);
    expect(text).toContain('the pager ends here');
    expect(text).not.toContain('sequenceDiagram');
  });

  it('KUBESEQ_PAGER stands before PAGER, and may be a command of a shell', async () => {
    const { command, kept } = keeping();
    const other = keeping();
    await onTerminal(DRAWING, { PAGER: other.command, KUBESEQ_PAGER: `cat | "${command}"` });
    expect(kept()).toContain('sequenceDiagram');
    expect(other.kept()).toBeNull();
  });

  it('what fits on the screen does not', async () => {
    const { command, kept } = keeping();
    const { text } = await onTerminal(['explain', '1', CAPTURE], { PAGER: command });
    expect(text).toContain('message 1:');
    expect(kept()).toBeNull();
  });

  it.each([
    ['--no-pager', [...DRAWING, '--no-pager'], {}],
    ['PAGER is empty', DRAWING, { PAGER: '' }],
    ['PAGER is cat', DRAWING, { PAGER: 'cat' }],
    ['the terminal can do nothing', DRAWING, { TERM: 'dumb' }],
    ['the pager is not there', DRAWING, { PAGER: 'no-such-pager -x' }],
  ] as const)('it is printed where %s', async (_, args, env) => {
    const { command, kept } = keeping();
    const { text } = await onTerminal(args, { PAGER: command, ...env });
    expect(text).toContain('sequenceDiagram');
    expect(text).toContain('participant');
    expect(kept()).toBeNull();
  });

  it('remarks come when the pager has ended, and the exit status is that of the command', async () => {
    const { command, kept } = keeping();
    const args = ['messages', ...LATE];
    const expected = kubeseq(args);
    expect(expected.stderr).toContain('kubeseq: ');
    const session = await onTerminal(args, { PAGER: command });
    expect(await session.ended).toBe(expected.status);
    expect(kept()?.split('\n').length).toBeGreaterThan(SIZE.rows);
    const lines = session.text.split('\n').filter((line) => line.trim() !== '');
    expect(lines[0]).toContain('the pager ends here');
    expect(lines[1]).toMatch(/^kubeseq: /);
  });

  it('a reader who leaves early ends the command, without an error', async () => {
    const session = await onTerminal(['messages', '-o', 'ndjson', ...LATE], {
      PAGER: 'head -n 1',
    });
    expect(await session.ended).toBe(0);
    expect(session.text.trim().startsWith('{"')).toBe(true);
    expect(session.text).not.toContain('kubeseq:');
  });

  it('less is the pager, and q leaves it', async () => {
    const session = new TerminalSession(DRAWING, SIZE, {
      PAGER: undefined,
      KUBESEQ_PAGER: undefined,
      LESS: undefined,
    });
    await session.shows(/sequenceDiagram[\s\S]*\n:/);
    session.press('q');
    expect(await session.ended).toBe(0);
  });
});

it('piped and saved output is never paged', () => {
  const { command, kept } = keeping();
  const file = join(FOLDER, 'saved.mmd');
  expect(kubeseq([CAPTURE], { env: { PAGER: command } }).stdout).toContain('sequenceDiagram');
  expect(kubeseq([CAPTURE, '-w', file], { env: { PAGER: command } }).status).toBe(0);
  expect(kept()).toBeNull();
});
