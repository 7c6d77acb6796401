// Writes src/protobuf/tables/*.txt from field tables (JSON) and the zero-value rules that json-rules.go prints:
//
//   node lab/tables/build.js TABLES-FOLDER RULES.json
//
// What later versions have is added by extend.js.
import { readFileSync } from 'node:fs';
import { knownOf, writeTable } from './file.js';

const [folder, rulesPath] = process.argv.slice(2);

for (const name of ['kubernetes', 'etcd', 'cri']) {
  const table = JSON.parse(readFileSync(`${folder}/${name}.fields.json`, 'utf8'));
  if (name === 'kubernetes') table.zeroValues = rulesFor(table, JSON.parse(readFileSync(rulesPath, 'utf8')));
  writeTable(name, table);
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
