// Describes pieces of exec, attach, port-forward and logs: channel, size, and how a command ended; payload is never kept.

import { text } from '../../core/bytes/bytes.js';
import { shownName } from '../../redaction/names.js';
import type { Redaction } from '../../redaction/redaction.js';
import { type Shown, sentence } from '../../redaction/shown.js';
import type { Draft } from '../messages/draft.js';

/** Fills in what a piece of a channel holds. `report`: as of ChannelPiece. */
export function describePiece(
  message: Draft,
  piece: { readonly channel: string | null; readonly size: number; readonly report: Uint8Array | null },
  redaction: Redaction,
): void {
  message.bytes = piece.size;
  if (piece.channel !== null) message.channel = piece.channel;
  const said = piece.report === null ? undefined : OF_TUNNELS.get(piece.channel ?? '');
  if (said !== undefined) {
    message.label = said(text(piece.report as Uint8Array), redaction);
    return;
  }
  const outcome = piece.report === null ? null : outcomeOf(piece.report);
  if (outcome === null) {
    message.label =
      piece.channel === null
        ? sentence`[DATA] ${sized(piece.size)}`
        : sentence`[DATA] ${shownName(piece.channel)} ${sized(piece.size)}`;
    return;
  }
  if (outcome.exitCode !== undefined) message.exitCode = outcome.exitCode;
  if (outcome.reason !== undefined) message.reason = outcome.reason;
  message.label = sentence`[DATA] error: ${outcomeWords(outcome)}`;
}

function sized(bytes: number): Shown {
  return bytes === 1 ? sentence`1 byte` : sentence`${bytes} bytes`;
}

export interface StreamOutcome {
  readonly success: boolean;
  /** undefined: the command did not come so far as to have one. */
  readonly exitCode: number | undefined;
  /** `NonZeroExitCode`, `InternalError` …, where it is a word. */
  readonly reason: string | undefined;
}

/**
 * Reads the metav1.Status that ends a command (k8s.io/apimachinery/pkg/util/remotecommand: v4 and later; kubelet's
 * cri/streaming/remotecommand/exec.go): Success, or Failure with `details.causes[].reason` ExitCode.
 *
 * @returns null: no Status, or not all of it yet.
 */
export function outcomeOf(report: Uint8Array): StreamOutcome | null {
  if (report[0] !== OPEN_BRACE) return null;
  let status: StatusJson | null;
  try {
    status = JSON.parse(text(report)) as StatusJson;
  } catch {
    // Not whole yet, or no Status: the label has the size.
    return null;
  }
  if (status?.status === 'Success') return { success: true, exitCode: 0, reason: undefined };
  if (status?.status !== 'Failure') return null;
  const { reason, details } = status;
  const causes = Array.isArray(details?.causes) ? details.causes : [];
  const code = causes.find((cause) => cause?.reason === 'ExitCode')?.message;
  return {
    success: false,
    exitCode: typeof code === 'string' && isExitCode(code) ? Number(code) : undefined,
    reason: typeof reason === 'string' && REASON.test(reason) ? reason : undefined,
  };
}

function isExitCode(text: string): boolean {
  return NUMBER.test(text) && EXIT_CODES.some(([from, to]) => Number(text) >= from && Number(text) <= to);
}

function outcomeWords({ success, exitCode, reason }: StreamOutcome): Shown {
  if (success) return sentence`Success (exit code 0)`;
  if (exitCode !== undefined) return sentence`exit code ${exitCode}`;
  return reason === undefined ? sentence`Failure` : sentence`Failure ${shownName(reason)}`;
}

/** As far as anything is believed of it. */
interface StatusJson {
  readonly status?: unknown;
  readonly reason?: unknown;
  readonly details?: {
    readonly causes?: readonly ({ readonly reason?: unknown; readonly message?: unknown } | null)[];
  };
}

type Said = (report: string, redaction: Redaction) => Shown;
/** Channels of a tunnel that carry no bytes of a connection, but what becomes of it. */
const OF_TUNNELS: ReadonlyMap<string, Said> = new Map<string, Said>([
  ['connect', (address, redaction) => sentence`[DATA] connect ${redaction.dial(address)}`],
  ['end', () => sentence`[DATA] end of a connection`],
  ['failed', (why, redaction) => sentence`[DATA] failed: ${redaction.text(why)}`],
]);
const OPEN_BRACE = 0x7b;
/** Ranges of a POSIX exit status, and of errors of NTSTATUS ([MS-ERREF], 2.3), which are printed as signed numbers, too. */
const EXIT_CODES = [
  [-255, 255],
  [0xc000_0000, 0xffff_ffff],
  [-0x4000_0000, -1_000_000_000],
] as const;
const NUMBER = /^-?(?:\d|[1-9]\d{1,9})$/;
const REASON = /^[A-Za-z]{1,64}$/;

// Describes the progress of a docker pull or push: one JSON document a step (moby, pkg/jsonmessage).

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
