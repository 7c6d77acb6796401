// Builds the program in gopacket/, which reads HTTP/1.1 as a Go programmer would.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './cases.js';

/** @param {string} folder where it goes. @returns {string} the program; without Go or its modules one that is not installed. */
export function gopacketProgram(folder) {
  const program = join(folder, 'gopacket');
  const source = join(ROOT, 'scripts/bench/gopacket');
  const { status } = spawnSync('go', ['build', '-o', program, '.'], { cwd: source, stdio: 'ignore' });
  return status === 0 ? program : 'gopacket';
}
