// Which requests report something that was not reported before: who makes an Event; where a capture begins later, who repeats it.
// Who repeats one says only how often, and the answer has the words. Knows Events; not whom they are about.

import type { Message } from '../kubernetes/message.js';
import type { Indexed } from './observation.js';

/** @returns requests. */
export function firstReports({ talks }: Indexed): ReadonlySet<Message> {
  const first = new Set<Message>();
  const told = new Set<string>();
  for (const { request, response } of talks.values()) {
    if (request === undefined || (request.report ?? response?.report) === undefined) continue;
    const { namespace, name } = request;
    const key = JSON.stringify([namespace, name ?? response?.object?.name]);
    if (request.verb === 'create' || !told.has(key)) first.add(request);
    told.add(key);
  }
  return first;
}
