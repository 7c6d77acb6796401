// Field tables: which number of a message is which field. Knows the format of the tables, not what is in them.
//
//   "pkg.Message": {"field": [number, "type"]}               singular
//                  {"field": [number, "type", "repeated"]}
//                  {"field": [number, "type", "map"]}        keys are strings; a fourth element names another type
//   "enums": {"pkg.Enum": {"VALUE": number}}
//   "services": {"pkg.Service": {"Method": ["request", "response", clientStreaming, serverStreaming]}}
//
// Other keys are the business of whoever reads the table: see `section`.

export type Scalar = 'bool' | 'bytes' | 'double' | 'int32' | 'int64' | 'string' | 'uint32' | 'uint64';

export interface FieldType {
  readonly number: number;
  readonly name: string;
  /** A scalar, or the full name of a message or enum. */
  readonly type: string;
  readonly kind: 'scalar' | 'message' | 'enum';
  readonly label: 'singular' | 'repeated' | 'map';
}

export interface MessageType {
  readonly name: string;
  readonly fields: readonly FieldType[];
  readonly byNumber: ReadonlyMap<number, FieldType>;
}

export interface MethodType {
  readonly request: string;
  readonly response: string;
  readonly clientStreaming: boolean;
  readonly serverStreaming: boolean;
}

type ProtobufField = [number: number, type: string, label?: 'repeated' | 'map'];

export class Table {
  readonly #rows: Readonly<Record<string, unknown>>;
  readonly #messages = new Map<string, MessageType>();
  readonly #enums = new Map<string, ReadonlyMap<number, string>>();

  /** @param text the table as JSON. */
  constructor(text: string) {
    this.#rows = JSON.parse(text) as Record<string, unknown>;
  }

  /** A message by its full name; undefined if the table has none. */
  message(name: string): MessageType | undefined {
    const known = this.#messages.get(name);
    if (known !== undefined) return known;
    const rows = this.#row(name);
    if (rows === undefined || !name.includes('.')) return undefined;
    const fields = Object.entries(rows as Record<string, ProtobufField>).map(([field, row]) => this.#field(field, row));
    const made = { name, fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
    this.#messages.set(name, made);
    return made;
  }

  /** Name of an enum's value; undefined if it has none with this number. */
  enumValue(name: string, value: number): string | undefined {
    let names = this.#enums.get(name);
    if (names === undefined) {
      const values = this.section<Record<string, Record<string, number>>>('enums')[name] ?? {};
      names = new Map(Object.entries(values).map(([text, number]) => [number, text]));
      this.#enums.set(name, names);
    }
    return names.get(value);
  }

  /** A method of a service, e.g. `('etcdserverpb.KV', 'Txn')`; undefined if the table has none. */
  method(service: string, method: string): MethodType | undefined {
    const services = this.section<Record<string, Record<string, [string, string, boolean, boolean]>>>('services');
    if (!Object.hasOwn(services, service) || !Object.hasOwn(services[service], method)) return undefined;
    const [request, response, clientStreaming, serverStreaming] = services[service][method];
    return { request, response, clientStreaming, serverStreaming };
  }

  /** What stands under a key that is no message; an empty object if nothing does. */
  section<T>(key: string): T {
    return (this.#row(key) ?? {}) as T;
  }

  #row(key: string): unknown {
    return Object.hasOwn(this.#rows, key) ? this.#rows[key] : undefined;
  }

  #field(name: string, [number, type, label]: ProtobufField): FieldType {
    const kind = !type.includes('.') ? 'scalar' : this.#row(type) !== undefined ? 'message' : 'enum';
    return { number, name, type, kind, label: label ?? 'singular' };
  }
}
