// What is going on, for a person who waits: on standard error, on a terminal only, one line that is written over.

/** @returns takes the share of the work that is done, 0 to 1. */
export type Progress = (share: number) => void;

export function progressLine(
  what: string,
  options: { readonly progress?: boolean; readonly quiet?: true },
): Progress | undefined {
  if (process.stderr.isTTY !== true || options.progress === false || options.quiet === true) return undefined;
  let shown = -1;
  return (share) => {
    const percent = Math.min(100, Math.floor(share * 100));
    if (percent === shown) return;
    shown = percent;
    process.stderr.write(`\r\u001b[Kkubeseq: ${what}: ${percent} %${percent === 100 ? '\r\u001b[K' : ''}`);
  };
}
