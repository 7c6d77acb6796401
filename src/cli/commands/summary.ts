// `kubeseq summary` reports what the captures contain and how much of it was decoded.

import { NOTICE_CODES, type NoticeCode, SUMMARY_FIELDS, type Summary, SummaryCollector } from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Command } from '../command.js';
import { FORMATS } from '../formats.js';
import { Session } from '../input/session.js';
import type { CommonOptions } from '../options.js';
import { endOf } from '../unread.js';

export interface SummaryOptions extends CommonOptions {
  readonly streams?: true;
  readonly failOn?: string;
  readonly limit?: number;
}

export const summary: Command<
  [files: readonly string[]],
  SummaryOptions,
  { readonly summary: Summary; readonly limit: number | undefined }
> = {
  formats: FORMATS.summary,
  async run([files], options) {
    const failOn = codesOf(options.failOn);
    const session = new Session(files, {
      ...options,
      digests: options.streams,
      limitNotices: true,
      fields: SUMMARY_FIELDS,
    });
    const collector = session.withDropNotices(
      () => new SummaryCollector(session.names, { streams: options.streams === true }),
    );
    for await (const batch of session.run()) for (const item of batch) collector.add(item);
    const result = collector.result();
    return {
      result: { summary: result, limit: options.limit },
      captures: session,
      end() {
        const hasFailed = failOn.some((code) => result.notices[code] !== undefined);
        return endOf(session, options, options.verbose === true ? session.remarks() : [], hasFailed);
      },
    };
  },
};

function codesOf(list: string | undefined): NoticeCode[] {
  if (list === undefined) return [];
  return list.split(',').map((text) => {
    const code = text.trim();
    if (!Object.hasOwn(NOTICE_CODES, code))
      throw new CliError(`--fail-on ${code}: no such notice; see docs/notices.md`);
    return code as NoticeCode;
  });
}
