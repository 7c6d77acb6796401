export function multiply(
  capture: Uint8Array,
  bytes: number,
  path: string,
  first?: number,
): { copies: number; frames: number; bytes: number };
