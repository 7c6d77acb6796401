// Describes pieces of exec, attach, port-forward and logs: channel, size, and how a command ended; payload is never kept.

import { text } from '../../core/bytes/bytes.js';
import { shownName } from '../../redaction/names.js';
import { type Shown, sentence } from '../../redaction/shown.js';
import type { Draft } from './draft.js';

/** Fills in what a piece of a channel holds. `report`: what the channel `error` carried so far, else null. */
export function describePiece(
  message: Draft,
  piece: { readonly channel: string | null; readonly size: number; readonly report: Uint8Array | null },
): void {
  message.bytes = piece.size;
  if (piece.channel !== null) message.channel = piece.channel;
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
    exitCode: typeof code === 'string' && EXIT_CODE.test(code) ? Number(code) : undefined,
    reason: typeof reason === 'string' && REASON.test(reason) ? reason : undefined,
  };
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

const OPEN_BRACE = 0x7b;
const EXIT_CODE = /^-?\d{1,10}$/;
const REASON = /^[A-Za-z]{1,64}$/;
