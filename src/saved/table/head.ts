// Defines what a table's metadata holds beside its columns. Apart from the writer, whose library no reader needs.

/** Key of the file's metadata for `TableHead`. */
export const TABLE_KEY = 'kubeseq';
/** Key for the other records of an export, as its lines: deflated (RFC 1951), in base64, as most are about connections. */
export const RECORDS_KEY = 'kubeseq.records';

/** What `TABLE_KEY` holds, as JSON. */
export interface TableHead {
  /** Version of the program. */
  readonly kubeseq: string;
  /** Raised when a reader of an older version would misread. */
  readonly format: number;
  readonly redacted: boolean;
  readonly captures: readonly string[];
  /** Digits of a second's fraction that each capture has: 6 or 9. */
  readonly digits: readonly number[];
}
