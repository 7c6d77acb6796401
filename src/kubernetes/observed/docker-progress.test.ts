// Documents of docker's progress that are not as docker writes them.

import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../redaction/redaction.js';
import type { Draft } from '../messages/draft.js';
import { describeProgress } from './stream-data.js';

function labelOf(document: string): string {
  const message = { label: '[DATA] 9 bytes' } as Draft;
  describeProgress(message, Buffer.from(document), redactionOf());
  return message.label;
}

describe('a step of a pull', () => {
  it.each([
    ['{"status":"Waiting","progressDetail":{},"id":"ab"}', '[DATA] Waiting ab'],
    [
      '{"status":"Downloading","progressDetail":{"current":1,"total":2},"id":"ab"}',
      '[DATA] Downloading ab, 1 of 2 bytes',
    ],
    ['{"status":"Downloading","progressDetail":{"current":"1","total":-2},"id":7}', '[DATA] Downloading'],
    ['{"errorDetail":{"message":"x"},"error":"denied: Bearer hunter2hunter2"}', '[DATA] error: denied: Bearer …'],
    ['{"status":{"a":1}}', '[DATA] 9 bytes'],
    ['{"status":"Down', '[DATA] 9 bytes'],
    ['null', '[DATA] 9 bytes'],
    ['[1]', '[DATA] 9 bytes'],
    [`{"status":"${'x'.repeat(20_000)}"}`, '[DATA] 9 bytes'],
  ])('%.60s', (document, label) => expect(labelOf(document)).toBe(label));
});
