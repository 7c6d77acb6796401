// Defines what a completion script offers: commands, their options, and the values of these.

export interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** Values of its first argument, unless it is a file. */
  readonly words: readonly string[];
}

export interface CompletedOption {
  /** `-o`, without its value. */
  readonly short?: string;
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** Its value names a file. */
  readonly isFile: boolean;
  /** Empty if the value is a file, or arbitrary. */
  readonly values: readonly string[];
  /** The value is a list, separated by commas. */
  readonly isList: boolean;
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
