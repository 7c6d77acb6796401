// Ends the command quietly when whoever reads its output has gone (`| head`).

import { describeError, EXIT_FINE } from '../cli-error.js';

/** A closed pipe is no error, as with tcpdump and tshark. */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_FINE);
    process.stderr.write(`kubeseq: standard output: ${describeError(error)}\n`);
    process.exit(2);
  });
}
