// Which requests report something that was not reported before: who makes an Event; where a capture begins later, who repeats it.
// Who repeats one says only how often, and the answer has the words. Knows Events; not whom they are about.

import type { Message, ReportInfo } from '../kubernetes/message.js';
import type { Indexed } from './observation.js';

/** @returns by the request: what it reports first. */
export function firstReports({ talks }: Indexed): ReadonlyMap<Message, ReportInfo> {
  const first = new Map<Message, ReportInfo>();
  const told = new Set<string>();
  for (const { request, response } of talks.values()) {
    const report = request?.report ?? response?.report;
    if (request === undefined || report === undefined) continue;
    const { namespace, name } = request;
    const key = JSON.stringify([namespace, name ?? response?.object?.name]);
    if (request.verb === 'create' || !told.has(key)) first.set(request, report);
    told.add(key);
  }
  return first;
}
