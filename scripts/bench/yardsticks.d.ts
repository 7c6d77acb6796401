export interface Case {
  readonly name: string;
}
interface Sized {
  readonly folder: string;
  /** Bytes. */
  readonly size: number;
}
interface Commanded extends Sized {
  readonly args: readonly string[];
}
export function inYardsticks(
  one: Case,
  how: Commanded & { readonly rounds: number; readonly kubeseq?: string },
): number;
/** MiB. */
export function peakOf(one: Case, how: Commanded): number;
/** s of CPU time. */
export function yardstickSeconds(one: Case, how: Sized): number;
