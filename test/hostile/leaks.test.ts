// Small captures, one for each place where a secret was once shown, over every output of every command: none is there.

import { readdirSync, rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { newFolder, outputs, said } from '../kit/outputs.js';

const CAPTURES = readdirSync(fixturePath('leaks'))
  .filter((name) => name.endsWith('.pcap.gz'))
  .map((name) => fixturePath(`leaks/${name}`));
/** What the generator of the captures put there, and what begins like a credential of it. */
const SECRET =
  /hunter2Xk9q|ghp_\w{3}|gh[ors]_\w{3}|glpat-\w{3}|xox[a-z]-\w{3}|AKIA[A-Z0-9]{3}|K10[0-9a-f]\w*::|sk[-_]live[-_]\w{3}|4821397[56]|k3jqz8v|sn7ouqx|4yghsrm|11111111-2222|484417915|465776129|472922258|449699656|eyJhbGci\w{3}|0123456789abcdef(?!\w)|a94a8fe5ccb1/i;
const folder = newFolder('leaks');
afterAll(() => rmSync(folder, { recursive: true }));
const SUBJECT = {
  objects: [['door/d', 'a'] as const, ['configmap/x', 'a'] as const],
  seq: 1,
  expected: ['GET /api/v1/pods'],
  other: CAPTURES[0],
};
/** Those of packages stand in package-outputs.test.ts. */
const OUTPUTS = outputs(CAPTURES[0], SUBJECT).filter(({ needs }) => needs === undefined);

describe('no leak is in', () => {
  it.each(OUTPUTS.map((one) => [one.name, one] as const))('%s', (_, output) => {
    const found = said(output, CAPTURES, folder).texts.flatMap(([where, text]) => {
      const [leak] = SECRET.exec(text) ?? [];
      return leak === undefined ? [] : [`${where}: ${leak}`];
    });
    expect(found).toEqual([]);
  });

  it.each(CAPTURES.map((one) => [one.replace(/.*\//, ''), one] as const))(
    '%s alone, whose secrets are shown with --show secrets',
    (name, path) => {
      const text = (...options: string[]): string =>
        ['messages -o ndjson --bodies', 'diagram --all --layers all', 'summary --streams']
          .map((one) => kubeseq([...one.split(' '), ...options, path]))
          .map(({ stdout, stderr }) => stdout + stderr)
          .join('\n');
      for (const option of [[], ['--show', 'text'], ['--show', 'commands']])
        expect(text(...option)).not.toMatch(SECRET);
      // A greeting is never kept.
      if (name !== 'greetings.pcap.gz') expect(text('--show', 'secrets')).toMatch(SECRET);
    },
  );
});
