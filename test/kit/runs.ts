// How much tests try: the usual number, all with RUNS=full, or RUNS=N.

/** @param full what RUNS=full gives; without it nothing but RUNS=N gives another. */
export function runs(usual: number, full: number = usual): number {
  const asked = process.env['RUNS'];
  if (asked === undefined || asked === '') return usual;
  return asked === 'full' ? full : Number(asked);
}

/** Is everything to be tried, as `npm run test:all` does? */
export const TRIES_ALL = process.env['RUNS'] === 'full';
