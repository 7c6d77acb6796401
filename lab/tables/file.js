// The files of src/protobuf/tables: JSON with a line for each message. Builds give them as text, so that nothing is parsed until
// somebody asks for a whole object; their ending is what esbuild and Vite take for text.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function readTable(name) {
  return JSON.parse(readFileSync(pathOf(name), 'utf8'));
}

export function writeTable(name, table) {
  const lines = Object.entries(table).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  writeFileSync(pathOf(name), `{\n${lines.join(',\n')}\n}\n`);
}

/** Of what is said about fields, that which is about fields of the table: `[field, fact]`. */
export function knownOf(table, message, facts) {
  return Object.entries(facts).filter(([field]) => field in (table[message] ?? {}));
}

function pathOf(name) {
  return fileURLToPath(new URL(`../../src/protobuf/tables/${name}.txt`, import.meta.url));
}
