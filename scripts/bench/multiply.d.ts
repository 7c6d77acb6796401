export function multiply(
  capture: Uint8Array,
  bytes: number,
  path: string,
): { copies: number; frames: number; bytes: number };
