export interface MadeSecret {
  readonly family: string;
  readonly carrier: string;
  readonly form: string;
  readonly text: string;
}
export const PLANTED: MadeSecret[];
export function secret(family: string, carrier: string, form?: string): string;
export function pemOf(line: string, type?: string): string;
