// The order of files of tests: the longest first, so that no worker begins one when the others have ended.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those of half a minute of a processor or so; the order of the others is vitest's own. */
const LONGEST = [
  'planted',
  'anonymize',
  'package-outputs',
  'random-secrets',
  'hostile-text',
  'cut-captures',
  'page-view',
  'change-labels',
  'check-diagrams',
  'mcp',
  'journey',
  'window',
  'open-page',
  'browser-messages',
  'text-width',
  'start',
  'action',
].map((name) => `/${name}.test.ts`);

export default class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
