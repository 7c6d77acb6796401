// Runs before each file of tests: what is random in a property is the same in every run. SEED=N tries others, as the fuzz job does.

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 1) });
