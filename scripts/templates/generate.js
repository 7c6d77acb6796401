// Writes src/redaction/templates/from-*.ts of what formats.go printed; what rows.js made for each component and review left.
//
//   node scripts/templates/generate.js formats.jsonl
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const [formats] = process.argv.slice(2);

const COMPONENTS = [
  ['kubelet', 'the kubelet', '^kubernetes@[^/]*/pkg/kubelet/|^(?:kubelet|cri-client)@'],
  ['scheduler', 'the scheduler', '^kubernetes@[^/]*/pkg/scheduler/|^dynamic-resource-allocation@'],
  [
    'controllers',
    'the controllers',
    '^kubernetes@[^/]*/pkg/controller/(?!volume)|^(?:cloud-provider|endpointslice|component-helpers)@',
  ],
  [
    'volumes',
    'the volume managers and volume plugins',
    '^kubernetes@[^/]*/pkg/(?:volume|controller/volume)/|^(?:csi-translation-lib|mount-utils)@',
  ],
  [
    'apiserver',
    'the API server of every group',
    '^(?:apiserver|apimachinery|apiextensions-apiserver|kube-aggregator|pod-security-admission)@',
  ],
  [
    'registry',
    'the built-in groups and admission plugins of kube-apiserver',
    '^kubernetes@[^/]*/(?:pkg/(?:registry|apis|controlplane|serviceaccount|auth|quota)|plugin/pkg)/',
  ],
];
/** Files whose texts go to logs or to whoever starts the program. */
const NOT_SAID =
  /apis\/config|\/config\/|\/options\/|cmd\/|bootstrap\/|checkpoint|metrics?\/|cadvisor|memorymanager|cpumanager|topologymanager|pullmanager|cgroup|pluginmanager|kubeletconfig|\/state\/|flag|logs\/|\/tracing|\/cel\/|egressselector|\/audit\/|dynamiccertificates|openapi|managedfields|scheduling_queue|\/cache\/|backend\/|garbagecollector\/|storageversion|\/value\/|encryption|server\/filters|watch_cache|\/testing|apiserver\/validation|conversion_test|third_party|roundtrip|scheme\.go|kubectl|strategicpatch|jsonmergepatch|winstats|parsers|generated|componentconfig|naming|dump|util\/(?:yaml|json|net|httpstream|sets|strategic|proxy)|vclib|iscsi_util|fc_util/;

const total = { rows: 0 };
for (const [name, about, pattern] of COMPONENTS) {
  const rows = execFileSync('node', [`${ROOT}scripts/templates/rows.js`, formats, pattern], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
    .filter(([source]) => !NOT_SAID.test(source));
  const bySource = new Map();
  for (const [source, template] of rows) bySource.set(source, [...(bySource.get(source) ?? []), template]);
  total.rows += rows.length;
  const constant = `${name.toUpperCase()}_FORMATS`;
  writeFileSync(
    `${ROOT}src/redaction/templates/from-${name}.ts`,
    `// Templates of ${about}, by the file of Kubernetes 1.34 that writes them; made by scripts/templates.

import { lookup } from '../../core/lookup.js';

export const ${constant}: Readonly<Record<string, readonly string[]>> = lookup({
${[...bySource].map(([source, templates]) => `  ${JSON.stringify(source)}: [\n${templates.map((one) => `    ${JSON.stringify(one)},`).join('\n')}\n  ],`).join('\n')}
});
`,
  );
}
console.log(total.rows, 'rows');
