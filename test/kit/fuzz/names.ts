// The names of the targets, for one who only wants to run them.

import { TARGETS } from './targets.js';

export const NAMES: readonly string[] = TARGETS.map(({ name }) => name);
