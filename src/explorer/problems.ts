// Describes what is wrong with a message that failed or reports a problem.

import { problemWords } from '../core/status-words.js';
import type { MessageLine } from '../render/html/html-format.js';

type LineProblem = Parameters<typeof problemWords>[0];

/** @param message one that failed or reports a problem. */
export function whyProblem(message: MessageLine): string {
  const reason = message['reason'] === undefined ? '' : ` (${String(message['reason'])})`;
  if (typeof message['status'] === 'number' && message['status'] >= 400)
    return `Refused: ${message['status']}${reason}`;
  if (typeof message['grpcStatus'] === 'number' && message['grpcStatus'] > 0)
    return `Failed: gRPC status ${message['grpcStatus']}`;
  if (typeof message['exitCode'] === 'number' && message['exitCode'] > 0)
    return `The command ended with exit code ${message['exitCode']}`;
  if (message['type'] === 'ERROR') return 'The watch ended with an error';
  if (Array.isArray(message['problems']))
    return `Its status reports: ${(message['problems'] as readonly LineProblem[]).map(problemWords).join(', ')}`;
  const k8sEvent = message['k8sEvent'] as { readonly type?: string; readonly reason?: string } | undefined;
  if (k8sEvent?.type === 'Warning') return `A warning: ${k8sEvent.reason ?? ''}`;
  if (message['lease'] !== undefined) return 'The leader changes, or gives its lease up';
  return 'No answer in the capture';
}
