// Writes the text on an arrow of the Kubernetes API (contract.md "Labels").

import { queryDecoded } from '../../core/bytes/percent.js';
import { memo } from '../../core/collections/memo.js';
import { shownName, shownPlainWord } from '../../redaction/names.js';
import { rewritten, type Shown, sentence } from '../../redaction/shown.js';
import { identityOf, type ObjectField } from '../objects/object-info.js';
import { labelName } from './object-ref.js';

/** `[REQ] METHOD PATH?QUERY - NAME`; `name` only where the path does not hold it. */
export function requestLabel(method: string, target: Shown, name: string | undefined): Shown {
  const line = sentence`[REQ] ${shownName(method)} ${rewritten(target, requestText)}`;
  return name === undefined || name === '' ? line : sentence`${line} - ${shownName(name)}`;
}

/** A target with the parameters of its query that distinguish requests. */
export const requestText = memo((target) => {
  const query = target.indexOf('?');
  return query < 0 ? target : `${target.slice(0, query)}${distinguishing(target.slice(query + 1))}`;
}, 4096);

export function responseLabel(status: number | null, watch: boolean): Shown {
  if (status === null)
    return watch ? sentence`[RESP] (before the capture), chunked` : sentence`[RESP] (status not captured)`;
  const reason = REASONS[status];
  const line = reason === undefined ? sentence`[RESP] ${status}` : sentence`[RESP] ${status} ${shownName(reason)}`;
  return watch && status === 200 ? sentence`${line}, chunked, wait for chunks...` : line;
}

/** `[RESP-CHUNK] Kind TYPE - NAME`, NAMESPACE/NAME outside `default`. */
export function eventLabel(type: string, object: ObjectField | null, reason: string | undefined): Shown {
  const kind = shownName(object?.kind ?? 'object');
  const about = object && identityOf(object);
  const name =
    reason === undefined ? shownName(labelName(about?.namespace, about?.name ?? '')) : shownPlainWord(reason);
  const line = sentence`[RESP-CHUNK] ${kind} ${shownPlainWord(type)}`;
  return name === '' ? line : sentence`${line} - ${name}`;
}

function distinguishing(query: string): string {
  const shown: string[] = [];
  for (const parameter of query.split('&')) {
    const equals = parameter.indexOf('=');
    const name = queryDecoded(equals < 0 ? parameter : parameter.slice(0, equals));
    if (!DISTINGUISHING.has(name)) continue;
    const value = equals < 0 ? '' : queryDecoded(parameter.slice(equals + 1));
    if (name === 'watch') shown.unshift(`watch=${value}`);
    else shown.push(equals < 0 ? name : `${name}=${value}`);
  }
  return shown.length === 0 ? '' : `?${shown.join('&')}`;
}

/** Parameters that distinguish requests for a reader; timeouts, versions and bookmarks do not. */
const DISTINGUISHING = new Set(
  'watch fieldSelector labelSelector shardSelector dryRun force command container follow fromImage tag'.split(' '),
);

/** RFC 9110 section 15, RFC 6585, RFC 4918. */
export const REASONS: Readonly<Record<number, string>> = {
  100: 'Continue',
  101: 'Switching Protocols',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  507: 'Insufficient Storage',
};
