// What a completion script offers: the commands of the program, their options and the values of these.

export interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** Values of its first argument, where these are words and no files. */
  readonly words: readonly string[];
}

export interface CompletedOption {
  /** `-o`, without its value; absent where there is none. */
  readonly short?: string;
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** Its value names a file. */
  readonly isFile: boolean;
  /** Empty where its value is a file, or anything. */
  readonly values: readonly string[];
  /** Several of the values, separated by commas. */
  readonly isList: boolean;
}
