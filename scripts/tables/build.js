// Writes src/protobuf/tables/*.ts from field tables (JSON) and the zero-value rules that json-rules.go prints:
//
//   node scripts/tables/build.js TABLES-FOLDER RULES.json
//
// What later versions have is added by extend.js.
import { readFileSync } from 'node:fs';
import { knownOf, writeTable } from './file.js';

const [folder, rulesPath] = process.argv.slice(2);

const TABLES = [
  ['kubernetes', 'Kubernetes API objects, 1.34 (The Kubernetes Authors, Apache-2.0)'],
  ['etcd', 'etcd v3 client API, 3.6 (The etcd Authors, Apache-2.0)'],
  ['cri', 'container runtime interface, runtime.v1, 1.34 (The Kubernetes Authors, Apache-2.0)'],
];

for (const [name, about] of TABLES) {
  const table = JSON.parse(readFileSync(`${folder}/${name}.fields.json`, 'utf8'));
  if (name === 'kubernetes') table.zeroValues = rulesFor(table, JSON.parse(readFileSync(rulesPath, 'utf8')));
  writeTable(name, about, table);
}

/** Only messages and fields that the table has. */
function rulesFor(table, rules) {
  const kept = {};
  for (const [message, fields] of Object.entries(rules)) {
    const codes = knownOf(table, message, fields);
    if (codes.length > 0) kept[message] = Object.fromEntries(codes);
  }
  return kept;
}
