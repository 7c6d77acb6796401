// What is made of the table of message fields for readers: docs/schema/message.schema.json, and the tables in docs/messages.md.

import { FIELD_ROWS, type Field, type FieldName } from '../../src/kubernetes/messages/fields.js';

/** A page with the rows of the table in place of those below its headings. */
export function withFieldTables(page: string): string {
  return page.replace(TABLE, (whole, heading: string, before: string) => {
    const rows = rowsOf(heading);
    return rows.length === 0 ? whole : `## ${heading}\n\n${before}${[...HEAD, ...rows].join('\n')}\n`;
  });
}

/** The JSON Schema of a line: a field a line, where that is not too long. */
export function schemaText(): string {
  const properties = FIELD_ROWS.map(([name, { schema }]) => [name, { ...schema, description: descriptionOf(name) }]);
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'message.schema.json',
    title: 'One line of `kubeseq messages -o ndjson`',
    description:
      'Fields that are not named here may be added; the ones named here keep their meaning. docs/messages.md explains them.',
    type: 'object',
    required: FIELD_ROWS.filter(([, { required }]) => required).map(([name]) => name),
    properties: { ...Object.fromEntries(properties), ...DETAILS },
    $defs: DEFINITIONS,
  };
  return `${indented(schema, '')}\n`;
}

const TABLE = /^## (.*)\n\n((?:(?!\|).*\n)*?)\| field \| meaning \|\n\| --- \| --- \|\n(?:\|.*\n)+/gm;
const HEAD = ['| field | meaning |', '| --- | --- |'];

/** Fields that one sentence explains have one row. */
function rowsOf(section: string): string[] {
  const rows: { names: string[]; doc: string }[] = [];
  for (const [name, { doc }] of FIELD_ROWS.filter(([, field]) => field.section === section)) {
    if (doc === '') rows.at(-1)!.names.push(name);
    else rows.push({ names: [name], doc });
  }
  return rows.map(({ names, doc }) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${doc} |`);
}

/** Plain text: the schema has no page that a link could lead to. */
function descriptionOf(name: FieldName): string {
  const above = FIELD_ROWS.slice(0, FIELD_ROWS.findIndex(([one]) => one === name) + 1).map(([, field]) => field);
  const { section } = above.at(-1) as Field;
  const doc = above.findLast((field) => field.section === section && field.doc !== '')?.doc ?? '';
  return doc
    .replace(/[,;] see \[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
}

function indented(value: unknown, indent: string): string {
  const short = JSON.stringify(value, null, 1).replace(/\n */g, ' ').replace(/\[ /g, '[').replace(/ \]/g, ']');
  if (short.length <= LONGEST || typeof value !== 'object' || value === null || Array.isArray(value)) return short;
  const more = `${indent}  `;
  const lines = Object.entries(value).map(([name, one]) => `${more}${JSON.stringify(name)}: ${indented(one, more)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

const LONGEST = 160;
/** With `--bodies`. */
const DETAILS = {
  headers: {
    type: 'array',
    items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    description: 'with --bodies: head fields of a request or response, redacted',
  },
  body: {
    description: 'with --bodies: decoded and redacted; {"$bytes": N} in place of bytes that are not shown',
  },
};
const TEXT = { type: 'string' };
const DEFINITIONS = {
  count: { type: 'integer', minimum: 1 },
  word: { type: 'string', pattern: '.' },
  time: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.(\\d{6}|\\d{9})Z$' },
  owner: {
    type: 'object',
    required: ['kind', 'name', 'uid'],
    properties: { kind: TEXT, name: TEXT, uid: TEXT },
  },
};
