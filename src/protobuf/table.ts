// Maps the field numbers of protobuf messages to names and types, from a table in JSON:
//
//   "pkg.Message": {"field": [number, "type"]}               singular
//                  {"field": [number, "type", "repeated"]}
//                  {"field": [number, "type", "map"]}        keys are strings; a fourth element names another type
//   "enums": {"pkg.Enum": {"VALUE": number}}
//   "services": {"pkg.Service": {"Method": ["request", "response", clientStreaming, serverStreaming]}}
//   any other key                                          read with `section`

export interface FieldType {
  readonly number: number;
  readonly name: string;
  /** The name of a scalar, or the full name of a message or enum. */
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

  /** @param name full name. @returns undefined if the table has no such message. */
  message(name: string): MessageType | undefined {
    const cached = this.#messages.get(name);
    if (cached !== undefined) return cached;
    const rows = this.#row(name);
    if (rows === undefined || !name.includes('.')) return undefined;
    const fields = Object.entries(rows as Record<string, ProtobufField>).map(([field, row]) => this.#field(field, row));
    const message = { name, fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
    this.#messages.set(name, message);
    return message;
  }

  enumValue(name: string, value: number): string | undefined {
    let names = this.#enums.get(name);
    if (names === undefined) {
      const values = this.section<Record<string, Record<string, number>>>('enums')[name] ?? {};
      names = new Map(Object.entries(values).map(([text, number]) => [number, text]));
      this.#enums.set(name, names);
    }
    return names.get(value);
  }

  /** @param service e.g. `etcdserverpb.KV`. @param method e.g. `Txn`. */
  method(service: string, method: string): MethodType | undefined {
    const services = this.section<Record<string, Record<string, [string, string, boolean, boolean]>>>('services');
    if (!Object.hasOwn(services, service) || !Object.hasOwn(services[service], method)) return undefined;
    const [request, response, clientStreaming, serverStreaming] = services[service][method];
    return { request, response, clientStreaming, serverStreaming };
  }

  /** The value of a key that is no message; an empty object if the table does not have it. */
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
