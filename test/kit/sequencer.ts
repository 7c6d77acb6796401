// The order of files of tests: the longest first, so that no worker begins one when the others have ended.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those of half a minute of a processor or so; the order of the others is vitest's own. */
const LONGEST = [
  'planted',
  'cut-captures',
  'page-view',
  'change-labels',
  'random-strings',
  'check-diagrams',
  'mcp',
  'planted-kinds',
  'page',
  'open-page',
  'browser-messages',
  'injection',
  'page-export',
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
