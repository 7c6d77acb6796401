// A recording's messages have the names that its diagram has, of which some are learnt after the message (`messages.ndjson` of record).

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runAndWrite } from '../../src/cli/command.js';
import { messages } from '../../src/cli/commands/messages.js';
import { observedTogether } from '../kit/diagrams.js';
import { fixturePath } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-names-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const CAPTURE = 'late-start-tls/capture.pcap';
const KEYS = 'late-start-tls/keys.log';

interface Line {
  readonly seq: number;
  readonly from: string;
  readonly to: string;
}

async function lines(finalNames: true | undefined): Promise<readonly Line[]> {
  const write = join(FOLDER, `${finalNames}.ndjson`);
  const options = { keylog: [fixturePath(`${KEYS}.gz`)], namespace: 'default', output: 'ndjson', quiet: true } as const;
  expect(await runAndWrite(messages, [[fixturePath(`${CAPTURE}.gz`)]], { ...options, write, finalNames })).toBe(0);
  return readFileSync(write, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

it('names of participants are those at the end of the capture, and nothing else of the lines changes', async () => {
  const [early, late] = [await lines(undefined), await lines(true)];
  const whole = (await observedTogether([CAPTURE], KEYS)).messages;
  const names = new Map(whole.map(({ seq, from, to }) => [seq, [from.name, to.name]]));
  expect(late.map(({ seq, from, to }) => [seq, from, to])).toEqual(whole.map(({ seq }) => [seq, ...names.get(seq)!]));
  const renamed = late.filter(({ from, to }, i) => from !== early[i].from || to !== early[i].to);
  expect(renamed.length).toBeGreaterThan(0);
  expect(new Set(renamed.flatMap(({ from, to }) => [from, to]))).toContain('kube-controller-manager');
  expect(late.map((one) => ({ ...one, from: '', to: '' }))).toEqual(early.map((one) => ({ ...one, from: '', to: '' })));
});
