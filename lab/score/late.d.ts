import type { Recording } from './score.js';

export function readLateStart(
  folder: string,
  fraction: number,
  options?: { readonly kubeseq?: string },
): Promise<readonly [whole: Recording, late: Recording]>;
