// Pictures where @mermaid-js/mermaid-cli is not installed: one line has the command that installs it, and PlantUML needs nothing.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';

const CAPTURE = 'fixtures/run-nginx-http1/capture.pcap.gz';
const OTHER = 'fixtures/run-nginx-tls/capture-with-secrets.pcapng.gz';

it.each([
  ['Pod default/nginx', ['object', 'pod/nginx', CAPTURE]],
  ['kubectl', ['diff', CAPTURE, OTHER, '--follow', 'pod/nginx']],
])('PlantUML with %s has the lanes and arrows of the mermaid text', (name, args) => {
  const [mermaid, plantuml] = ['mermaid', 'plantuml'].map((format) => kubeseq([...args, '-o', format, '-q']).stdout);
  expect(plantuml).toMatch(/^@startuml\n[\s\S]*\n@enduml\n$/);
  expect(plantuml).toContain(`participant "${name}" as `);
  const arrows = mermaid.match(/ (?:->>|-->>)\S* \w+: /g) ?? [];
  expect(arrows.length).toBeGreaterThan(5);
  expect(plantuml.match(/^\w+ -(?:\[#\w+\])?-?> \w+ : /gm)).toHaveLength(arrows.length);
});

it('without mermaid-cli one line has the command to install it', () => {
  // A copy of the package with what it needs at run time only.
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-picture-needs-'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of Object.keys(dependencies)) {
    const at = join(folder, 'node_modules', name);
    mkdirSync(join(at, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), at);
  }
  const args = [join(folder, 'bin/kubeseq.js'), join(ROOT, CAPTURE), '-q', '-o', 'svg'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect(stderr).toMatch(/^kubeseq: SVG and PNG need @mermaid-js\/mermaid-cli; npm install [^\n]*\n$/);
  expect(status).toBe(2);
});
