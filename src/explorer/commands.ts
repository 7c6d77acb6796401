// Writes a captured request as a command that sends it again, with what the page has of it: redacted values stay redacted.

import { namespaceOf } from '../kubernetes/api/object-ref.js';
import { escapeTerminal } from '../render/escape/terminal-escape.js';
import type { MessageLine } from '../render/html/html-format.js';

/** @param message a request. @param body as the page has it; undefined: none. @returns null: it is no HTTP request. */
export function curlCommand(message: MessageLine, body: unknown): string | null {
  const { method, target } = message;
  if (message['kind'] !== 'request' || typeof method !== 'string' || typeof target !== 'string') return null;
  if (typeof message['rpcMethod'] === 'string' || !target.startsWith('/')) return null;
  const headers = (message.headers ?? []).filter(
    ([name]) => !LEFT_OUT.has(name.toLowerCase()) && !name.startsWith(':'),
  );
  const isRedacted = headers.some(([, value]) => value.includes(REDACTED));
  const { remarks, data, isJson } = bodyOf(message, body);
  const shown = headers.map(([name, value]): readonly [string, string] =>
    isJson && name.toLowerCase() === 'content-type' && !value.includes('json') && !value.includes('yaml')
      ? [name, 'application/json']
      : [name, value],
  );
  const parts = [
    `curl -X ${quoted(method)} ${quoted(originOf(message) + urlText(target))}`,
    ...shown.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(data === null ? [] : [`--data-binary ${quoted(data)}`]),
  ];
  const notes = [...(isRedacted ? [`# headers that are ${REDACTED} need values of your own`] : []), ...remarks];
  return [...notes, parts.join(' \\\n  ')].join('\n');
}

/** @returns null: kubectl has no such request. */
export function kubectlCommand(message: MessageLine, body: unknown): string | null {
  const { verb, resource, target } = message;
  if (message['kind'] !== 'request' || message['protocol'] !== 'kubernetes') return null;
  if (typeof verb !== 'string' || typeof target !== 'string' || !target.startsWith('/')) return null;
  const { remarks, data, isJson } = bodyOf(message, body);
  const manifest = data === null ? '' : ` <<'${END}'\n${data}\n${END}`;
  const raw = quoted(urlText(target));
  const lines = (command: string | null): string | null => (command === null ? null : [...remarks, command].join('\n'));
  const isSingle = typeof resource === 'string' && (message['subresource'] === undefined || isKnown(message));
  switch (verb) {
    case 'get':
    case 'list':
    case 'watch':
      return lines(isSingle ? readCommand(message, verb) : `kubectl get --raw ${raw}`);
    case 'create':
      return lines(isJson ? `kubectl create --raw ${raw} -f -${manifest}` : null);
    case 'update':
      return lines(isJson ? `kubectl replace --raw ${raw} -f -${manifest}` : null);
    case 'patch':
      return lines(isSingle && isJson && data !== null ? patchCommand(message, data) : null);
    case 'delete':
      return [...(data === null ? [] : ['# without its options']), `kubectl delete --raw ${raw}`].join('\n');
    default:
      return null;
  }
}

function readCommand(message: MessageLine, verb: string): string | null {
  const object = objectArguments(message);
  if (object === null) return null;
  const query = new URLSearchParams(String(message['target']).split('?')[1] ?? '');
  const labels = query.get('labelSelector');
  const fields = query.get('fieldSelector');
  const isNamed = verb === 'get';
  return [
    `kubectl get ${isNamed ? object : objectArguments({ ...message, name: undefined })}`,
    ...(labels === null ? [] : [`-l ${quoted(labels)}`]),
    ...(fields === null ? [] : [`--field-selector ${quoted(fields)}`]),
    ...(isNamed ? ['-o yaml'] : []),
    ...(verb === 'watch' ? ['--watch'] : []),
  ].join(' ');
}

function patchCommand(message: MessageLine, data: string): string | null {
  const object = objectArguments(message);
  const type = message.headers?.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const known = PATCH_TYPES.find(([mediaType]) => type.startsWith(mediaType))?.[1];
  // A server-side apply has no patch of kubectl's, but a command of its own.
  return object === null || known === undefined ? null : `kubectl patch ${object} --type=${known} -p ${quoted(data)}`;
}

/** `pods nginx -n default --subresource=status`; null: a name could be taken for an option. */
function objectArguments({ resource, apiGroup, apiVersion, namespace, name, subresource }: MessageLine): string | null {
  const group = typeof apiGroup === 'string' && apiGroup !== '' ? `.${String(apiVersion ?? 'v1')}.${apiGroup}` : '';
  const words = [`${String(resource)}${group}`, ...(name === undefined ? [] : [String(name)])];
  if ([...words, String(namespace ?? '')].some((word) => word.startsWith('-'))) return null;
  const own = namespaceOf(String(resource), namespace);
  return [
    ...words.map(quoted),
    ...(own === undefined ? (name === undefined ? ['-A'] : []) : [`-n ${quoted(String(own))}`]),
    ...(subresource === undefined ? [] : [`--subresource=${quoted(String(subresource))}`]),
  ].join(' ');
}

function isKnown({ subresource }: MessageLine): boolean {
  return ['status', 'scale', 'resize'].includes(String(subresource));
}

interface CommandBody {
  /** Comments on what is not as it was sent. */
  readonly remarks: readonly string[];
  /** null: none. */
  readonly data: string | null;
  readonly isJson: boolean;
}

function bodyOf(message: MessageLine, body: unknown): CommandBody {
  if (message.bodyLeftOut !== undefined)
    return { remarks: ['# its body is over the limit of the page'], data: null, isJson: false };
  if (body === undefined) {
    const isMissing = ['POST', 'PUT', 'PATCH'].includes(String(message['method']));
    return {
      remarks: isMissing ? ['# its body is not in the page: none was captured'] : [],
      data: null,
      isJson: !isMissing,
    };
  }
  if (typeof body === 'object' && body !== null && '$bytes' in body)
    return { remarks: ['# its body was captured as bytes that are not shown'], data: null, isJson: false };
  const data = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  const remarks = data.includes(REDACTED) ? [`# values that are ${REDACTED} stay so: replace them first`] : [];
  if (message['complete'] === false)
    remarks.push('# the request is incomplete: bytes of it are missing in the capture');
  return { remarks, data, isJson: typeof body !== 'string' };
}

/** `https://192.0.2.10:6443`. */
function originOf({ headers = [], connection }: MessageLine): string {
  const headerOf = (wanted: string): string | undefined => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const host = headerOf(':authority') ?? headerOf('host') ?? serverOf(String(connection));
  // The usual ports of HTTP, and that of kubectl proxy.
  const isPlain = /:(?:80|8080|8001)$/.test(host) || /:(?:80|8080|8001)$/.test(serverOf(String(connection)));
  return `${headerOf(':scheme') ?? (isPlain ? 'http' : 'https')}://${host}`;
}

/** Of `CLIENTIP:PORT-SERVERIP:PORT`, IPv6 without brackets. */
function serverOf(connection: string): string {
  const server = connection.slice(connection.indexOf('-') + 1);
  const colon = server.lastIndexOf(':');
  const address = server.slice(0, colon);
  return address.includes(':') ? `[${address}]${server.slice(colon)}` : server;
}

/** Characters that no URL has are percent-encoded. */
function urlText(target: string): string {
  return target.replace(/[^\x21-\x7e]/gu, (character) =>
    // Half a surrogate pair has no bytes.
    /\p{Cs}/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character),
  );
}

/** One word for a shell; what is invisible is shown by its number. */
function quoted(text: string): string {
  const visible = text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : escapeTerminal(part)))
    .join('');
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(visible) ? visible : `'${visible.replaceAll("'", "'\\''")}'`;
}

/** What stands in outputs in place of a secret (redaction/shown.ts). */
const REDACTED = 'REDACTED';
/** Ends a document in a shell; no line of JSON is it. */
const END = 'EOF';
/** Headers that curl sets, or that belong to the connection. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'accept-encoding', 'connection', 'transfer-encoding', 'upgrade', 'te'],
  ...['sec-websocket-key', 'sec-websocket-version', 'traceparent'],
]);
const PATCH_TYPES = [
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/merge-patch+json', 'merge'],
  ['application/json-patch+json', 'json'],
] as const;
