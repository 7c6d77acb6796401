// Reads what Linux says of a process's memory.

import { readFileSync } from 'node:fs';

/** @param {number} pid @returns gives a field of its status, such as VmHWM, in MB: Linux counts KiB. */
export function statusOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (/** @type {string} */ name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1.024e-3;
}
