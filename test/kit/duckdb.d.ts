// What kubeseq uses of DuckDB, for checks of types where its package was not fetched (scripts/types.js).

interface Result {
  columnNames(): string[];
  columnType(index: number): unknown;
  getRowObjectsJson(): Record<string, unknown>[];
  yieldRowObjectJson(): AsyncIterable<Record<string, unknown>[]>;
}

interface Statements {
  readonly count: number;
  prepare(index: number): Promise<{
    readonly statementType: unknown;
    readonly columnCount: number;
    columnName(index: number): string;
    columnType(index: number): unknown;
    destroySync(): void;
  }>;
}

export interface DuckDBConnection {
  extractStatements(sql: string): Promise<Statements>;
  run(sql: string, values?: unknown): Promise<unknown>;
  runAndReadAll(sql: string): Promise<Result>;
  stream(sql: string): Promise<Result>;
  interrupt(): void;
  closeSync(): void;
}

export const StatementType: { readonly SELECT: unknown };
export const DuckDBInstance: {
  create(path?: string, options?: Record<string, string>): Promise<{ connect(): Promise<DuckDBConnection> }>;
};
