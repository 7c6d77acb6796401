// Writes src/protobuf/tables/*.ts from field tables (JSON) and the zero-value rules that json-rules.go prints:
//
//   node scripts/tables/build.js TABLES-FOLDER RULES.json
//
// A table ships as one string, so that nothing is parsed until somebody asks for a whole object, and as code, so that
// no reader has to find a file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [folder, rulesPath] = process.argv.slice(2);
const target = fileURLToPath(new URL('../../src/protobuf/tables/', import.meta.url));

const TABLES = [
  ['kubernetes', 'Kubernetes API objects, 1.34 (The Kubernetes Authors, Apache-2.0)'],
  ['etcd', 'etcd v3 client API, 3.6 (The etcd Authors, Apache-2.0)'],
  ['cri', 'container runtime interface, runtime.v1, 1.34 (The Kubernetes Authors, Apache-2.0)'],
];

for (const [name, about] of TABLES) {
  const table = JSON.parse(readFileSync(`${folder}/${name}.fields.json`, 'utf8'));
  if (name === 'kubernetes') table.zeroValues = rulesFor(table, JSON.parse(readFileSync(rulesPath, 'utf8')));
  const lines = Object.entries(table).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const text = `{\n${lines.join(',\n')}\n}`;
  if (/[`\\]|\$\{/.test(text)) throw new Error(`${name}: text that a template literal would change`);
  writeFileSync(
    `${target}${name}.ts`,
    `// Protobuf field table: ${about}.\n// Made by scripts/tables/build.js; the format is told in ../table.ts.\n\n` +
      `export const ${name.toUpperCase()}_TABLE: string = \`${text}\`;\n`,
  );
}

/** Only messages and fields that the table has. */
function rulesFor(table, rules) {
  const kept = {};
  for (const [message, fields] of Object.entries(rules)) {
    if (!(message in table)) continue;
    const codes = Object.entries(fields).filter(([field]) => field in table[message]);
    if (codes.length > 0) kept[message] = Object.fromEntries(codes);
  }
  return kept;
}
