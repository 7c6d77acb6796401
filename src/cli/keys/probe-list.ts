// Prints where the uprobes of `keys` would be placed.

import { resolve } from 'node:path';
import { bpftraceProgram, escapeTerminal, jsonText, KEY_LOG_FUNCTION, uprobeLine } from '../../index.js';
import { describe } from './key-probes.js';
import type { KeyTarget } from './key-targets.js';

export function probesText(targets: readonly KeyTarget[]): string {
  return targets
    .flatMap((target) => {
      const { address, offset, probe } = placeOf(target);
      return [describe(target), `  ${KEY_LOG_FUNCTION} at ${address}, ${offset} in the file`, `  ${probe}`];
    })
    .map((line) => `${escapeTerminal(line)}\n`)
    .join('');
}

export function probesJson(targets: readonly KeyTarget[]): string {
  return `${jsonText(targets.map(placeOf), 2)}\n`;
}

/** bpftrace has no escape for what is escaped here: it says that there is no such file. */
export function probesProgram(targets: readonly KeyTarget[]): string {
  return bpftraceProgram(targets.map(({ binary, found }) => ({ found, file: escapeTerminal(resolve(binary)) })));
}

function placeOf({ binary, found }: KeyTarget) {
  const hex = (value: number): string => `0x${value.toString(16)}`;
  return {
    binary,
    goVersion: found.goVersion,
    arch: found.arch,
    address: hex(found.address),
    offset: hex(found.offset),
    probe: uprobeLine(found, resolve(binary)),
  };
}
