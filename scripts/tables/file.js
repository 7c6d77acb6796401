// The files of src/protobuf/tables: a table is one string, so that nothing is parsed until somebody asks for a whole object,
// and code, so that no reader has to find a file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function readTable(name) {
  const text = readFileSync(pathOf(name), 'utf8');
  return {
    header: /^\/\/ Protobuf field table: (.*)\.$/m.exec(text)[1],
    table: JSON.parse(text.slice(text.indexOf('`') + 1, text.lastIndexOf('`'))),
  };
}

/** @param header what it is, of whom. */
export function writeTable(name, header, table) {
  const lines = Object.entries(table).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const text = `{\n${lines.join(',\n')}\n}`;
  if (/[`\\]|\$\{/.test(text)) throw new Error(`${name}: text that a template literal would change`);
  writeFileSync(
    pathOf(name),
    `// Protobuf field table: ${header}.\n// Made by scripts/tables; the format is told in ../table.ts.\n\n` +
      `export const ${name.toUpperCase()}_TABLE: string = \`${text}\`;\n`,
  );
}

/** Of what is said about fields, that which is about fields of the table: `[field, fact]`. */
export function knownOf(table, message, facts) {
  return Object.entries(facts).filter(([field]) => field in (table[message] ?? {}));
}

function pathOf(name) {
  return fileURLToPath(new URL(`../../src/protobuf/tables/${name}.ts`, import.meta.url));
}
