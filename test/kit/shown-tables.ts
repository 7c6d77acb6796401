// Tables of the sources as Markdown: what docs/security.md, docs/causes.md and the page of shown texts print is what the program has.

import { CONTROLLER_ROWS, type WorkQueue } from '../../src/kubernetes/attributed/controller-table.js';
import { UNTRIGGERED } from '../../src/kubernetes/attributed/untriggered-requests.js';
import type { FieldRow } from '../../src/redaction/body/rows.js';
import { SHOWN_FIELDS } from '../../src/redaction/fields.js';
import { PARAMETERS } from '../../src/redaction/parameters.js';
import { TEMPLATE_ROWS } from '../../src/redaction/templates/rows.js';
import { FIELD_ROWS } from './field-rows.js';

/** Tables by the name that stands in their marker. */
export const TABLES: Readonly<Record<string, () => string>> = {
  parameters: parametersTable,
  fields: fieldsTable,
  bodies: bodyTables,
  texts: textsTable,
  controllers: controllersTable,
  untriggered: () =>
    table(
      ['why no event triggers it', 'source'],
      UNTRIGGERED.map(({ why, source }) => [why, code(source)]),
    ),
};

/** A page with what its markers ask for between them: `<!-- table: fields -->` … `<!-- end -->`. */
export function filled(page: string): string {
  return page.replace(MARKED, (_, name: string) => `<!-- table: ${name} -->\n\n${TABLES[name]()}\n\n<!-- end -->`);
}

/** All templates by the source that they are from. */
export function textTables(): string {
  const sources = [...grouped(TEMPLATE_ROWS, ({ source }) => source)];
  return sources
    .map(
      ([source, rows]) =>
        `## ${source}\n\n\`\`\`text\n${rows.map(({ template }) => oneLine(template)).join('\n')}\n\`\`\``,
    )
    .join('\n\n');
}

function parametersTable(): string {
  const rows = Object.entries(PARAMETERS).flatMap(([api, tables]) =>
    tables.flatMap(({ path, names }) =>
      [...grouped(names.entries(), ([, shape]) => shape)].map(([shape, entries]) => [
        api,
        path === undefined ? 'every path' : code(path.source.replaceAll('\\/', '/')),
        shape,
        entries.map(([name]) => code(name)).join(' '),
      ]),
    ),
  );
  return table(['API', 'path', 'shape', 'parameters'], rows);
}

function controllersTable(): string {
  const rows = Object.entries(CONTROLLER_ROWS).map(([name, [wakesOn, source, queue, wakes]]) => [
    name,
    queue?.resource ?? '',
    [wakesOn || '(polls)', ...wokenBy(queue), ...(wakes?.reactsToOwnWrites === true ? ['its own writes'] : [])].join(
      '; ',
    ),
    queue?.last.join(', ') ?? '',
    code(source),
  ]);
  return table(['controller', 'keys', 'wakes on', 'ends with', 'source'], rows);
}

function wokenBy({ anyOf, deletedOnly, addedBy }: Partial<WorkQueue> = {}): string[] {
  if (anyOf !== undefined) return [`any of ${anyOf}`];
  if (deletedOnly !== undefined) return [`${deletedOnly} when deleted`];
  return addedBy === undefined ? [] : [addedBy];
}

function fieldsTable(): string {
  const shapes = [...grouped(SHOWN_FIELDS.entries(), ([, shape]) => shape)];
  return table(
    ['shape', 'header fields'],
    shapes.map(([shape, fields]) => [shape, fields.map(([name]) => code(name)).join(' ')]),
  );
}

function bodyTables(): string {
  return Object.entries(FIELD_ROWS)
    .map(([about, rows]) => `**${about[0].toUpperCase()}${about.slice(1)}**\n\n${bodyTable(rows)}`)
    .join('\n\n');
}

function bodyTable(rows: readonly FieldRow[]): string {
  const groups = [...grouped(rows, ({ showing, reason }) => `${showing}\n${reason}`)];
  return table(
    ['shown', 'why', 'fields'],
    groups.map(([head, of]) => {
      const [showing, reason] = head.split('\n');
      return [showing === 'none' ? '**not shown**' : showing, reason, of.map(({ field }) => code(field)).join(' ')];
    }),
  );
}

function textsTable(): string {
  const writers = [...grouped(TEMPLATE_ROWS, ({ source }) => writerOf(source))];
  return table(
    ['from', 'templates', 'one of them'],
    writers
      .map(([writer, rows]) => [writer, String(rows.length), code(oneLine(rows[0].template))])
      .sort((a, b) => Number(b[1]) - Number(a[1])),
  );
}

/** The part of Kubernetes, or the project, that a file belongs to. */
function writerOf(source: string): string {
  return source
    .split('/')
    .slice(0, 2)
    .join('/')
    .replace(/[ ,].*/, '');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function oneLine(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

const MARKED = /<!-- table: (\w+) -->[\s\S]*?<!-- end -->/g;
/** Items by what is said of each, in the order in which that is met first. */
function grouped<Item>(items: Iterable<Item>, by: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = by(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
