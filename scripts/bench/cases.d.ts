import type { Case } from './yardsticks.js';

export const CASES: readonly Case[];
