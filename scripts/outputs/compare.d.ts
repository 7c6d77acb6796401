export interface RenamedWord {
  readonly old: string;
  readonly new: string;
  readonly in?: string;
}
export type Rename = (name: string, text: string) => string;

export function renaming(rows: readonly RenamedWord[]): Rename;
export function differences(
  before: string,
  after: string,
  rename: Rename,
): { readonly name: string; readonly lines: readonly string[] }[];
