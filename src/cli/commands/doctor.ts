// `kubeseq doctor` reports what a recording on this host would lack, and how to fix it.

import { EXIT_DIFFERENT, EXIT_FINE } from '../cli-error.js';
import type { Command } from '../command.js';
import { type HostFacts, hostFacts } from '../doctor/doctor-facts.js';
import { findingsOf, isReady } from '../doctor/doctor-report.js';
import { FORMATS } from '../formats.js';

export interface DoctorOptions {
  readonly output?: string;
}

/** Its exit status is 0 if a recording with keys would work, else 1. */
export const doctor: Command<[], DoctorOptions, HostFacts> = {
  formats: FORMATS.doctor,
  async run() {
    const facts = hostFacts();
    const status = isReady(findingsOf(facts)) ? EXIT_FINE : EXIT_DIFFERENT;
    return { result: facts, end: () => ({ status }) };
  },
};
