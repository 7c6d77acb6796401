// Starts the command from the code that the build compiled, or from its modules where this Node.js cannot take that code.

import { openCompiled, type Units } from './compiled.js';
import { setLoadingFlags, setRunningFlags } from './v8-flags.js';

export { checksum, HEADER_BYTES, openCompiled, runtime } from './compiled.js';
export { setLoadingFlags } from './v8-flags.js';

type Main = typeof import('./main.js');

/** @param argv as node has it: program, script, arguments. */
export async function start(argv: readonly string[]): Promise<void> {
  setLoadingFlags();
  const { main } = unitsHere()?.load<Main>('main.js') ?? (await import('./main.js'));
  await main(argv, setRunningFlags);
}

/** The compiled program beside this file; null if there is none for this Node.js. */
export function unitsHere(): Units | null {
  return openCompiled(new URL('compiled.bin', import.meta.url), import.meta);
}
