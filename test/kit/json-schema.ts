// A checker for the part of JSON Schema (draft 2020-12) that docs/schema uses. An unknown keyword is an error of the
// schema, so that nothing in it is passed over silently.

export type Schema = Readonly<Record<string, unknown>>;

/** What is wrong with a value, each with its place (`/object/uid: …`); empty: it is valid. */
export function violations(schema: Schema, value: unknown, root: Schema = schema, path = ''): string[] {
  const out: string[] = [];
  const wrong = (what: string): void => void out.push(`${path || '/'}: ${what}`);
  for (const [keyword, wanted] of Object.entries(schema)) {
    if (ANNOTATIONS.has(keyword)) continue;
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`the schema uses ${keyword}, which this checker does not know`);
    check(wanted, value, { root, schema, path, wrong, add: (more) => out.push(...more) });
  }
  return out;
}

interface Context {
  readonly root: Schema;
  /** Which has the keyword. */
  readonly schema: Schema;
  readonly path: string;
  wrong(what: string): void;
  add(more: readonly string[]): void;
}

type Check = (wanted: unknown, value: unknown, context: Context) => void;

const KEYWORDS: Readonly<Record<string, Check>> = {
  type: (wanted, value, { wrong }) => {
    const types = Array.isArray(wanted) ? (wanted as string[]) : [wanted as string];
    if (!types.some((type) => isOfType(value, type))) wrong(`expected ${types.join(' or ')}`);
  },
  enum: (wanted, value, { wrong }) => {
    if (!(wanted as unknown[]).includes(value)) wrong(`expected one of ${(wanted as unknown[]).join(', ')}`);
  },
  const: (wanted, value, { wrong }) => {
    if (wanted !== value) wrong(`expected ${String(wanted)}`);
  },
  required: (wanted, value, { wrong }) => {
    if (!isObject(value)) return;
    for (const name of wanted as string[]) if (!Object.hasOwn(value, name)) wrong(`${name} is missing`);
  },
  properties: (wanted, value, { root, path, add }) => {
    if (!isObject(value)) return;
    for (const [name, schema] of Object.entries(wanted as Record<string, Schema>))
      if (Object.hasOwn(value, name)) add(violations(schema, value[name], root, `${path}/${name}`));
  },
  additionalProperties: (wanted, value, { schema, wrong }) => {
    if (wanted !== false) throw new Error('additionalProperties is known as false alone');
    const known = (schema['properties'] ?? {}) as object;
    for (const name of isObject(value) ? Object.keys(value) : [])
      if (!Object.hasOwn(known, name)) wrong(`${name} is unknown`);
  },
  items: (wanted, value, { root, path, add }) => {
    if (!Array.isArray(value)) return;
    value.forEach((item, i) => {
      add(violations(wanted as Schema, item, root, `${path}/${i}`));
    });
  },
  pattern: (wanted, value, { wrong }) => {
    if (typeof value === 'string' && !new RegExp(wanted as string, 'u').test(value)) wrong(`does not match ${wanted}`);
  },
  minimum: (wanted, value, { wrong }) => {
    if (typeof value === 'number' && value < (wanted as number)) wrong(`less than ${wanted}`);
  },
  maximum: (wanted, value, { wrong }) => {
    if (typeof value === 'number' && value > (wanted as number)) wrong(`more than ${wanted}`);
  },
  minItems: (wanted, value, { wrong }) => {
    if (Array.isArray(value) && value.length < (wanted as number)) wrong(`fewer than ${wanted} items`);
  },
  maxItems: (wanted, value, { wrong }) => {
    if (Array.isArray(value) && value.length > (wanted as number)) wrong(`more than ${wanted} items`);
  },
  $ref: (wanted, value, { root, path, add }) => {
    const name = /^#\/\$defs\/(\w+)$/.exec(wanted as string)?.[1];
    const definition = name === undefined ? undefined : (root['$defs'] as Record<string, Schema>)[name];
    if (definition === undefined) throw new Error(`the schema refers to ${String(wanted)}, which is not there`);
    add(violations(definition, value, root, path));
  },
};

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ANNOTATIONS = new Set(['$schema', '$id', '$defs', 'title', 'description', 'examples']);
