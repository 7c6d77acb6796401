// The bytes of one frame within a buffer.

/**
 * A view of `length` bytes, or a copy of them. Always a plain Uint8Array, also where a Buffer was fed: one hidden class
 * for everyone behind, and several times quicker than `subarray`, which looks up the species of its receiver.
 */
export function frameData(bytes: Uint8Array, start: number, length: number, copy: boolean): Uint8Array {
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset + start, length);
  return copy ? new Uint8Array(view) : view;
}
