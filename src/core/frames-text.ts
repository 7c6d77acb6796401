// Where a message stands in a capture, in words.

/** `frame 1791`, `frames 1791 to 1801`. @param frames first and last, as Wireshark counts. */
export function framesText([first, last]: readonly [number, number]): string {
  return first === last ? `frame ${first}` : `frames ${first} to ${last}`;
}
