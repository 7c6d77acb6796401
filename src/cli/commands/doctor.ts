// `kubeseq doctor`: what would be readable on this host, before anybody captures.

import { EXIT_DIFFERENT, EXIT_FINE } from '../cli-error.js';
import { formatOf } from '../output/format.js';
import { openOutput } from '../output/output.js';
import { hostFacts } from './doctor-facts.js';
import { doctorJson, doctorText, findingsOf, isReady } from './doctor-report.js';

export interface DoctorOptions {
  readonly output?: string;
}

/** @returns 0 if a recording with keys would work, else 1. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const format = formatOf(options, ['text', 'json'] as const, {}, 'text');
  const facts = hostFacts();
  const output = openOutput(undefined);
  await output.write(format === 'json' ? doctorJson(facts) : doctorText(facts));
  await output.done();
  return isReady(findingsOf(facts)) ? EXIT_FINE : EXIT_DIFFERENT;
}
