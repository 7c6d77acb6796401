import xterm from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { frame } from './live-screen.js';

async function shown(frames: readonly string[], rows: number, columns: number): Promise<string[]> {
  const terminal = new xterm.Terminal({ rows, cols: columns, allowProposedApi: true });
  for (const one of frames) await new Promise<void>((done) => terminal.write(one, done));
  const { active } = terminal.buffer;
  return Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '');
}

const HEAD = ['    kubectl  kube-apiserver', '    |        |'];

function diagram(messages: number): string {
  return [...HEAD, ...Array.from({ length: messages }, (_, i) => `  ${i}  |------->|  message ${i}`)]
    .map((line) => `${line}\n`)
    .join('');
}

describe('frame', () => {
  it('a short diagram stands at the top, whole', async () => {
    const screen = await shown([frame(diagram(2), 8, 60)], 8, 60);
    expect(screen).toEqual([...HEAD, '  0  |------->|  message 0', '  1  |------->|  message 1', '', '', '', '']);
  });

  it('of a long one the participants stay, and the last messages are seen', async () => {
    const screen = await shown(
      [diagram(1), diagram(50)].map((text) => frame(text, 6, 60)),
      6,
      60,
    );
    expect(screen).toEqual([
      ...HEAD,
      '  47  |------->|  message 47',
      '  48  |------->|  message 48',
      '  49  |------->|  message 49',
      '',
    ]);
  });

  it('nothing of the diagram before stays, and long lines do not wrap', async () => {
    const long = `${HEAD[0]}\n${'x'.repeat(200)}\n`;
    const screen = await shown([frame(diagram(3), 6, 40), frame(long, 6, 40)], 6, 40);
    expect(screen).toEqual([HEAD[0], 'x'.repeat(39), '', '', '', '']);
  });

  it.each([1, 2, 3])('a screen of %i rows', async (rows) => {
    const screen = await shown([frame(diagram(9), rows, 40)], rows, 40);
    expect(screen).toHaveLength(rows);
  });
});
