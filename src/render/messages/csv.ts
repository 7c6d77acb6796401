// Messages as CSV (RFC 4180), one a row. A cell that a spreadsheet would take for a formula gets a quote in front.

import type { Message } from '../../kubernetes/messages/message.js';
import { UNSEEN } from '../escape/terminal-escape.js';
import { type MessageJsonOptions, messageJson } from './message-json.js';

export function renderCsvHead(): string {
  return `${COLUMNS.join(',')}\r\n`;
}

export function renderCsvRow(message: Message, options: MessageJsonOptions): string {
  const json = messageJson(message, options);
  return `${COLUMNS.map((column) => cell(json[column])).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = (typeof value === 'string' ? value : JSON.stringify(value))
    .replace(CONTROLS, ' ')
    .replace(OTHERS, '\ufffd');
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const COLUMNS = [
  'seq',
  'time',
  'kind',
  'protocol',
  'from',
  'to',
  'label',
  'exchange',
  'connection',
  'stream',
  'frames',
  'complete',
  'causedBy',
  'method',
  'target',
  'userAgent',
  'verb',
  'apiGroup',
  'apiVersion',
  'resource',
  'subresource',
  'namespace',
  'name',
  'status',
  'auditId',
  'latencyMs',
  'object',
  'type',
  'initial',
  'started',
  'inferred',
  'reason',
  'statusMessage',
  'service',
  'rpcMethod',
  'grpcStatus',
  'key',
  'revision',
  'succeeded',
  'podSandboxId',
  'containerId',
  'image',
  'channel',
  'bytes',
  'exitCode',
  'via',
  'translated',
  'capture',
  'dryRun',
  'warnings',
  'problems',
  'claims',
  'missing',
  'appliedFor',
  'release',
  'user',
  'userFrom',
  'patch',
];
/** OWASP "CSV Injection". */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
const OTHERS = new RegExp(UNSEEN, 'gu');
