// The manifests of deploy/: valid by the API server's own schemas, and what they run does what docs/scale.md says, with
// the shell text of the manifests themselves.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kubeseq, ROOT } from '../kit/command.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';

type Json = Record<string, unknown>;
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

const { definitions } = JSON.parse(Buffer.from(fixture('api-schema/kubernetes.json')).toString()) as {
  definitions: Record<string, Schema>;
};
const manifests = readdirSync(join(ROOT, 'deploy')).filter((name) => name.endsWith('.yaml'));
const objectsOf = (name: string): Json[] =>
  parseAllDocuments(readFileSync(join(ROOT, 'deploy', name), 'utf8')).map((one) => one.toJS() as Json);

/** As `kubectl apply --validate=strict`: types, what is required, and no field that the API does not have. */
function wrongIn(value: unknown, schema: Schema, path: string): string[] {
  if (schema.$ref !== undefined)
    return wrongIn(value, definitions[schema.$ref.replace('#/definitions/', '')] as Schema, path);
  if (schema.format === 'int-or-string')
    return typeof value === 'string' || Number.isInteger(value) ? [] : [`${path}: neither number nor text`];
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? [] : [`${path}: no text`];
    case 'integer':
      return Number.isInteger(value) ? [] : [`${path}: no whole number`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${path}: not true or false`];
    case 'array':
      if (!Array.isArray(value)) return [`${path}: no list`];
      return value.flatMap((one, i) => wrongIn(one, schema.items as Schema, `${path}[${i}]`));
    default: {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: no object`];
      const missing = (schema.required ?? [])
        .filter((name) => !(name in value))
        .map((name) => `${path}.${name}: missing`);
      const fields = Object.entries(value).flatMap(([name, one]) => {
        const of = schema.properties?.[name] ?? schema.additionalProperties;
        return of === undefined ? [`${path}.${name}: the API has no such field`] : wrongIn(one, of, `${path}.${name}`);
      });
      return [...missing, ...fields];
    }
  }
}

function schemaOf({ apiVersion, kind }: Json): Schema | undefined {
  const [version, group = ''] = String(apiVersion).split('/').reverse();
  return Object.values(definitions).find((one) =>
    one['x-kubernetes-group-version-kind']?.some(
      (of) => of.group === group && of.version === version && of.kind === kind,
    ),
  );
}

describe.each(manifests)('deploy/%s', (name) => {
  it.each(objectsOf(name).map((object) => [String(object.kind), object] as const))('%s is valid', (_, object) => {
    expect(wrongIn(object, schemaOf(object) as Schema, String(object.kind))).toEqual([]);
  });
});

it('the check finds what is wrong', () => {
  const [, , daemonSet] = objectsOf('capture.yaml');
  const broken = structuredClone(daemonSet) as { spec: { selector?: unknown; template: { spec: Json } } };
  delete broken.spec.selector;
  broken.spec.template.spec.hostNetwrok = true;
  broken.spec.template.spec.dnsPolicy = 1;
  expect(wrongIn(broken, schemaOf(daemonSet) as Schema, 'DaemonSet')).toEqual([
    'DaemonSet.spec.selector: missing',
    'DaemonSet.spec.template.spec.dnsPolicy: no text',
    'DaemonSet.spec.template.spec.hostNetwrok: the API has no such field',
  ]);
});

it('records a ring with its secrets, by options that there are', () => {
  const daemonSet = objectsOf('capture.yaml').find(({ kind }) => kind === 'DaemonSet');
  const [container] = podOf(daemonSet as Json).containers;
  expect(container.securityContext).toEqual({ runAsUser: 0, privileged: true, readOnlyRootFilesystem: true });
  // The size is looked at before anything else: the manifest's own words are all understood.
  const args = container.args.map((arg) =>
    arg.replace('--size=2G', '--size=1M').replace('/captures', join(folder, 'ring')),
  );
  const { status, stderr } = kubeseq([...container.command.slice(1), ...args]);
  expect([status, stderr]).toEqual([2, 'kubeseq: --size: a ring has 4M at least\n']);
});

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-deploy-'));

describe('map and reduce', () => {
  for (const name of ['captures', 'messages', 'keys', 'bin']) mkdirSync(join(folder, name));
  for (const node of ['control-plane', 'node-1']) {
    mkdirSync(join(folder, 'captures', node));
    writeFileSync(join(folder, 'captures', node, 'ring.pcap00'), fixture(`deployment-tls/${node}.pcap`));
  }
  const keys = join(folder, 'keys', 'keys.log');
  writeFileSync(keys, fixture('deployment-tls/keys.log'));
  chmodSync(keys, 0o600);
  writeFileSync(
    join(folder, 'bin', 'kubeseq'),
    `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/bin/kubeseq.js' "$@"\n`,
  );
  chmodSync(join(folder, 'bin', 'kubeseq'), 0o755);

  /** Runs the container's own command, with its folders where the test has them. */
  const run = (manifest: string, env: Record<string, string>): void => {
    const job = objectsOf(manifest).find(({ kind }) => kind === 'Job');
    const [{ command, args }] = podOf(job as Json).containers;
    const placed = args.map((arg) => arg.replaceAll(/\/(?=(?:captures|messages|keys)\/)/g, `${folder}/`));
    execFileSync(command[0], [...command.slice(1), ...placed], {
      env: { ...process.env, PATH: `${folder}/bin:${process.env.PATH}`, ...env },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  };

  it('draw the story that both captures have together', () => {
    for (const index of ['0', '1']) run('map.yaml', { JOB_COMPLETION_INDEX: index });
    expect(readdirSync(join(folder, 'messages')).sort()).toEqual(['control-plane.parquet', 'node-1.parquet']);
    run('reduce.yaml', { FOLLOW: 'deployment/web' });
    const reduced = readFileSync(join(folder, 'messages', 'diagram.md'), 'utf8');
    const direct = kubeseq(['diagram', ...CAPTURES, '--keylog', keys, '--follow', 'deployment/web', '-o', 'markdown']);
    const arrows = (text: string): string[] => text.split('\n').filter((line) => /^ *\w+ -?->>/.test(line));
    expect(arrows(direct.stdout).length).toBeGreaterThan(150);
    const missing = arrows(direct.stdout).filter((arrow) => !arrows(reduced).includes(arrow));
    expect(missing).toEqual([]);
    expect(arrows(reduced).length - arrows(direct.stdout).length).toBeLessThanOrEqual(5);
  });

  it('count no request twice, and miss none', () => {
    const files = ['control-plane', 'node-1'].map((node) => join(folder, 'messages', `${node}.parquet`));
    const ids = auditIds(files);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.sort()).toEqual(auditIds([...CAPTURES, '--keylog', keys]).sort());
    const audited = fixtureLines<{ auditID: string }>('deployment-tls/audit.jsonl').map(({ auditID }) => auditID);
    expect(audited.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

const CAPTURES = ['control-plane', 'node-1'].map((node) => `fixtures/deployment-tls/${node}.pcap.gz`);

function auditIds(args: readonly string[]): string[] {
  const lines = kubeseq(['messages', '-o', 'ndjson', ...args])
    .stdout.trim()
    .split('\n');
  return lines.flatMap((line) => (JSON.parse(line) as { auditId?: string }).auditId ?? []);
}

interface Pod {
  readonly containers: readonly { command: string[]; args: string[]; securityContext: Json }[];
}

function podOf(object: Json): Pod {
  return (object.spec as { template: { spec: Pod } }).template.spec;
}
