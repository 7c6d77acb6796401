import { expect, it } from 'vitest';
import { observed } from '../../../test/kit/diagrams.js';
import { buildSequence } from '../../diagram/build.js';
import { renderSteps } from './steps.js';

it('a cause that may be another one is a perhaps, what the message itself shows is not', async () => {
  const observation = await observed('run-nginx-http1/capture.pcap');
  const text = renderSteps(buildSequence(observation, { all: true }));
  const sentences = new Map<number, string>();
  for (const [sentence, , seq] of text.matchAll(/^\*\*[\d and]+\.\*\* (.*) \(message (\d+), frames? .*\)$/gm))
    sentences.set(Number(seq), sentence);
  const counts = { perhaps: 0, plain: 0 };
  for (const { seq, kind, cause } of observation.messages) {
    if (kind === 'response' || cause === undefined || !sentences.has(seq)) continue;
    const isGuess = !cause.certain && cause.how !== 'write';
    expect(sentences.get(seq)).toMatch(isGuess ? /, perhaps because of / : /, (?:because of|made by) /);
    counts[isGuess ? 'perhaps' : 'plain'] += 1;
  }
  expect(counts.perhaps).toBe(13);
  expect(counts.plain).toBeGreaterThan(100);
});
