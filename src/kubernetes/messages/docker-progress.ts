// Describes the progress of a docker pull or push: one JSON document a step (moby, pkg/jsonmessage).

import { text } from '../../core/bytes/bytes.js';
import type { Redaction } from '../../redaction/redaction.js';
import { sentence } from '../../redaction/shown.js';
import type { Draft } from './draft.js';

/** Words the label: `[DATA] Downloading eea5ff719820, 69213 of 5092757 bytes`. The label stays where there is no progress. */
export function describeProgress(message: Draft, document: Uint8Array, redaction: Redaction): void {
  const step = progressOf(document);
  if (step === null) return;
  const { status, id, current, total } = step;
  const shownStatus = redaction.text(status);
  const about = id === undefined ? shownStatus : sentence`${shownStatus} ${redaction.name(id)}`;
  message.label =
    current === undefined || total === undefined
      ? sentence`[DATA] ${about}`
      : sentence`[DATA] ${about}, ${current} of ${total} bytes`;
}

interface ProgressStep {
  readonly status: string;
  /** Of a layer, twelve digits; of the image its tag. */
  readonly id: string | undefined;
  readonly current: number | undefined;
  readonly total: number | undefined;
}

function progressOf(document: Uint8Array): ProgressStep | null {
  if (document.length > MAX_PROGRESS_BYTES) return null;
  let read: ProgressJson | null;
  try {
    read = JSON.parse(text(document)) as ProgressJson;
  } catch {
    // Bytes are missing: the label has the size.
    return null;
  }
  const { status, error, id, progressDetail } = read ?? {};
  const words = typeof error === 'string' ? `error: ${error}` : status;
  if (typeof words !== 'string' || words === '') return null;
  return {
    status: words,
    id: typeof id === 'string' && id !== '' ? id : undefined,
    current: counted(progressDetail?.current),
    total: counted(progressDetail?.total),
  };
}

function counted(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** As far as anything is believed of it. */
interface ProgressJson {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly id?: unknown;
  readonly progressDetail?: { readonly current?: unknown; readonly total?: unknown } | null;
}

/** Limit in bytes: one step of a docker pull: a step is some hundred bytes, a registry's refusal a few thousand. */
const MAX_PROGRESS_BYTES = 16 * 1024;
