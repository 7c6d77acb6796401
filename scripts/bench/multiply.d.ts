import type { TrafficOptions } from './traffic.js';

export function multiply(
  capture: Uint8Array,
  bytes: number,
  path: string,
  options?: Omit<TrafficOptions, 'copies'>,
): { copies: number; frames: number; bytes: number };
