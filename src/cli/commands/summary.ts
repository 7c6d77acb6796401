// `kubeseq summary` reports what the captures contain and how much of it was decoded.

import { jsonText, NOTICE_CODES, type NoticeCode, SUMMARY_FIELDS, SummaryCollector, summaryText } from '../../index.js';
import { CliError, EXIT_DIFFERENT, EXIT_FINE } from '../cli-error.js';
import { Session } from '../input/session.js';
import type { CommonOptions } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput, widestMode } from '../output/output.js';
import { exitStatusOf } from '../unread.js';

export interface SummaryOptions extends CommonOptions {
  readonly streams?: true;
  readonly failOn?: string;
  readonly limit?: number;
}

export async function summary(files: readonly string[], options: SummaryOptions): Promise<number> {
  const failOn = codesOf(options.failOn);
  const format = formatOf(options, ['text', 'json'] as const, { '.json': 'json', '.txt': 'text' }, 'text');
  const session = new Session(files, {
    ...options,
    digests: options.streams,
    limitNotices: true,
    fields: SUMMARY_FIELDS,
  });
  const collector = session.keep(() => new SummaryCollector(session.names, { streams: options.streams === true }));
  for await (const batch of session.run()) for (const item of batch) collector.add(item);
  const result = collector.result();
  const output = openOutput(options.write, widestMode(options));
  await output.write(format === 'json' ? `${jsonText(result, 2)}\n` : summaryText(result, options.limit));
  await output.done();
  if (options.verbose === true) session.printNotices();
  const status = exitStatusOf(session, options);
  return status === EXIT_FINE && failOn.some((code) => result.notices[code] !== undefined) ? EXIT_DIFFERENT : status;
}

function codesOf(list: string | undefined): NoticeCode[] {
  if (list === undefined) return [];
  return list.split(',').map((text) => {
    const code = text.trim();
    if (!Object.hasOwn(NOTICE_CODES, code))
      throw new CliError(`--fail-on ${code}: no such notice; see docs/notices.md`);
    return code as NoticeCode;
  });
}
