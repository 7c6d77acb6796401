import { expect, it } from 'vitest';
import { problemWords } from './status-words.js';

it.each([
  [
    { of: 'init container wait', state: 'waiting', reason: 'CrashLoopBackOff' },
    'init container wait: waiting (CrashLoopBackOff)',
  ],
  [
    { of: 'container web', state: 'terminated', reason: 'OOMKilled', exitCode: 137 },
    'container web: terminated (OOMKilled, exit code 137)',
  ],
  [
    { of: 'condition Ready', state: 'Unknown', reason: 'NodeStatusUnknown' },
    'condition Ready=Unknown (NodeStatusUnknown)',
  ],
  [{ of: 'condition Ready', state: 'False', reason: '' }, 'condition Ready=False'],
  [{ of: 'attach', state: 'failed', reason: 'no such disk' }, 'attach failed: no such disk'],
])('%j: %s', (problem, words) => {
  expect(problemWords(problem)).toBe(words);
});
