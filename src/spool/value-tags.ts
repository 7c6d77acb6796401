// The byte before a packed value, which says of which type it is.

export const TAG = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  /** A number from 0 to 2^53 - 1. */
  uint: 4,
  /** Any other number: eight bytes. */
  float: 5,
  /** Its decimal digits as a text. */
  bigint: 6,
  text: 7,
  /** A text that is a namespace. */
  namespace: 8,
  list: 9,
  object: 10,
} as const;
