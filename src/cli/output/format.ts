// Chooses the output format: by `-o`, else by the file name of `-w`, else the command's default.

import { CliError } from '../cli-error.js';
import type { CommonOptions } from '../options.js';

export function formatOf<F extends string>(
  options: Pick<CommonOptions, 'output' | 'write'>,
  formats: readonly F[],
  endings: Readonly<Record<string, F>>,
  otherwise: F,
): F {
  if (options.output !== undefined) {
    const format = formats.find((one) => one === options.output);
    if (format === undefined) throw new CliError(`-o ${options.output}: expected one of ${formats.join(', ')}`);
    return format;
  }
  const ending = Object.keys(endings).find((one) => options.write?.toLowerCase().endsWith(one) === true);
  return ending === undefined ? otherwise : endings[ending];
}
