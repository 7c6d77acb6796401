// What `summary --streams` counts in a fixture, made by the library.

import { createHash } from 'node:crypto';
import { observe, SummaryCollector } from '../../src/index.js';
import { fixture } from './fixtures.js';

export async function summaryOf(name: string): Promise<ReturnType<SummaryCollector['result']>> {
  const collector = new SummaryCollector([name], { streams: true });
  const bytes = (async function* () {
    yield fixture(name);
  })();
  for await (const batch of observe([bytes], { newHash: () => createHash('md5') }))
    for (const item of batch) collector.add(item);
  return collector.result();
}
