import { expect, it } from 'vitest';
import { message } from '../../../test/kit/messages.js';
import { defineCommands } from '../main.js';
import { FrameNumbers } from './frame-numbers.js';
import { ToolCalls } from './server.js';
import { TOOLS } from './tools.js';

const COMMANDS = defineCommands(async () => {}).commands;

it('ends a call that takes too long, says so, and answers the next one', async () => {
  let readings = 0;
  const batches = {
    *[Symbol.iterator]() {
      readings += 1;
      for (let seq = 0; readings === 1 || seq < 3; seq++)
        yield [{ kind: 'message' as const, message: message({ seq, kind: 'request', target: '/api/v1/pods' }) }];
    },
  };
  const recording = { batches, names: ['a.pcap'], firstTime: 0n, hasDecrypted: false, digits: () => 6 };
  const context = {
    files: ['a.pcap'],
    options: { color: false, recording: recording as never },
    query: {} as never,
  };
  const calls = new ToolCalls(COMMANDS, Promise.resolve({ context, frames: new FrameNumbers() }), TOOLS, 200);
  const started = performance.now();
  const [late, next] = await Promise.all([calls.call('messages', { where: 'seq < 0' }), calls.call('messages', {})]);
  expect(performance.now() - started).toBeLessThan(5000);
  expect(late.isError).toBe(true);
  expect(late.content[0].text).toContain('no answer within');
  expect(next.isError).toBeUndefined();
  expect((next.structuredContent as { rows: unknown[] }).rows).toHaveLength(3);
});
