// What ends a command with exit status 2: one sentence for the user.

export class CliError extends Error {}

export const EXIT_FINE = 0;
export const EXIT_DIFFERENT = 1;
export const EXIT_TROUBLE = 2;
export const EXIT_INTERRUPTED = 130;
