// Which labels an arrow's text stands for (contract: "What an expectation means").

import { describe, expect, it } from 'vitest';
import { message } from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { compileLabel, parsedLabelOf } from './label.js';
import { readMarkup } from './markup.js';
import { TooManyReadings } from './pattern.js';

const SELECTOR = 'fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed';
const WATCH = request(
  'GET',
  `/api/v1/pods?allowWatchBookmarks=true&${SELECTOR}&timeoutSeconds=422&watch=true`,
  '[REQ] GET /api/v1/pods?watch=true&fieldSelector=status.phase!=Succeeded,status.phase!=Failed',
);
const CREATE = request(
  'POST',
  '/api/v1/namespaces/default/pods?fieldManager=kubectl-run',
  '[REQ] POST /api/v1/namespaces/default/pods - nginx',
);
const PATCH = request(
  'PATCH',
  '/api/v1/namespaces/default/pods/web-6f8d-x7k2p/status',
  '[REQ] PATCH /api/v1/namespaces/default/pods/web-6f8d-x7k2p/status',
);
const EXEC = request(
  'GET',
  '/api/v1/namespaces/default/pods/nginx/exec?command=echo&command=a+b&container=nginx',
  '[REQ] GET /api/v1/namespaces/default/pods/nginx/exec?command=echo&command=a b&container=nginx',
);

function request(method: string, target: string, label: string): Message {
  return message({ method, target, label });
}

function label(label: string): Message {
  return message({ kind: 'response', label });
}

function read(text: string, one: Message): Record<string, string | undefined>[] | null {
  const label = compileLabel(readMarkup(text));
  const found = label.read(parsedLabelOf(one));
  return found === null
    ? null
    : found.map((values) => Object.fromEntries(label.names.map((name, i) => [name, values[i]])));
}

describe('an arrow fits', () => {
  const cases: [string, Message][] = [
    ['[REQ] GET /api/v1/pods?watch=true<br>&fieldSelector="status.phase!=Succeeded,<br>status.phase!=Failed"', WATCH],
    ['[REQ] GET /api/v1/pods?fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed', WATCH],
    ['[REQ] GET /api/v1/pods?fieldSelector=*&watch=true&timeoutSeconds=4*', WATCH],
    ['[REQ]: GET /api/v1/pods', WATCH],
    ['[REQ] GET /api/v1/pods?watch=true&…', WATCH],
    ['[REQ] GET /api/v1/pods?watch=true&fieldSelector=status.phase!=Succeeded|Failed,status.phase!=Failed', WATCH],
    ['[REQ] GET /api/…?watch', WATCH],
    ['[REQ] POST /api/v1/namespaces/default/pods - nginx', CREATE],
    ['[REQ] POST /api/v1/namespaces/default/pods - "nginx"', CREATE],
    ['[REQ] POST /api/v1/namespaces/default/pods <br>- nginx ×3', CREATE],
    ['[REQ] PUT|POST /api/v1/namespaces/*/pods - *', CREATE],
    ['[REQ] POST /api/**/pods - nginx|web', CREATE],
    ['[REQ] POST /api/v1/…/pods - …', CREATE],
    ['[REQ] PATCH /api/v1/namespaces/default/pods/web-{hash}-{suffix}/status', PATCH],
    ['[REQ] PATCH /api/v1/**', PATCH],
    ['[REQ] GET /api/v1/namespaces/default/pods/nginx/exec?command=a b&command=echo', EXEC],
    ['[REQ] GET /api/v1/namespaces/default/pods/nginx/exec?command=a%20b', EXEC],
    ['[RESP] 201 Created', label('[RESP] 201 Created')],
    ['[RESP]: 201 Created', label('[RESP] 201 Created')],
    ['[RESP] 2xx', label('[RESP] 201 Created')],
    ['[RESP] 200|201', label('[RESP] 201 Created')],
    ['[RESP] 4xx|201 Created', label('[RESP] 201 Created')],
    ['[RESP] 200 OK, chunked, wait<br>for chunks...', label('[RESP] 200 OK, chunked, wait for chunks...')],
    ['[RESP-CHUNK]: Pod Added - nginx', label('[RESP-CHUNK] Pod ADDED - nginx')],
    ['[RESP-CHUNK] Pod ADDED|MODIFIED<br>- kube-system/{pod}', label('[RESP-CHUNK] Pod MODIFIED - kube-system/dns')],
    ['[RESP-CHUNK] Pod *', label('[RESP-CHUNK] Pod BOOKMARK')],
    ['[RPC-RESP] OK, revision {revision}', label('[RPC-RESP] OK, revision 712')],
    ['[RESP-CHUNK] Pod ADDED - a#42;b', label('[RESP-CHUNK] Pod ADDED - a*b')],
  ];
  it.each(cases)('%s', (text, one) => expect(read(text, one)).not.toBeNull());
});

describe('an arrow does not fit', () => {
  const cases: [string, Message][] = [
    ['[REQ] GET /api/v1/pods?fieldSelector="fieldSelector=status.phase!=Succeeded"', WATCH],
    ['[REQ] GET /api/v1/pods?watch=false', WATCH],
    ['[REQ] GET /api/v1/pods?labelSelector=app', WATCH],
    ['[REQ] GET /api/v1/pod', WATCH],
    ['[REQ] GET /api/*', WATCH],
    ['[REQ] LIST /api/v1/pods', WATCH],
    ['[RESP] GET /api/v1/pods', WATCH],
    ['[REQ] POST /api/v1/namespaces/default/pods', CREATE],
    ['[REQ] POST /api/v1/namespaces/default/pods - web', CREATE],
    ['[REQ] POST /api/v1/namespaces/*/*/pods - nginx', CREATE],
    ['[REQ] PATCH /api/v1/namespaces/default/pods/{pod}', PATCH],
    ['[REQ] PATCH /api/v1/namespaces/{same}/pods/{same}/status', PATCH],
    ['[REQ] GET /api/v1/namespaces/default/pods/nginx/exec?command=echo&command=echo', EXEC],
    ['[RESP] 200 OK', label('[RESP] 200 OK, chunked, wait for chunks...')],
    ['[RESP] 2xx OK', label('[RESP] 201 Created')],
    ['[RESP] 2xx', label('[RESP] 409 Conflict')],
    ['[RESP-CHUNK] pod ADDED - nginx', label('[RESP-CHUNK] Pod ADDED - nginx')],
    ['[RESP-CHUNK] Pod ADDED - a#42;b', label('[RESP-CHUNK] Pod ADDED - axb')],
    ['[RESP-CHUNK] Pod ADDED - *', label('[RESP-CHUNK] Pod ADDED - kube-system/dns')],
  ];
  it.each(cases)('%s', (text, one) => expect(read(text, one)).toBeNull());
});

describe('names', () => {
  it('give every way to read a label', () => {
    expect(read('[REQ] PATCH /api/v1/namespaces/{ns}/pods/{deployment}-{rest}/status', PATCH)).toEqual([
      { ns: 'default', deployment: 'web', rest: '6f8d-x7k2p' },
      { ns: 'default', deployment: 'web-6f8d', rest: 'x7k2p' },
    ]);
  });

  it('that could mean too much are refused, not guessed', () => {
    const many = `[RESP-CHUNK] Pod ADDED - {a}{b}{c}{d}{e}`;
    expect(() => read(many, label(`[RESP-CHUNK] Pod ADDED - ${'x'.repeat(30)}`))).toThrow(TooManyReadings);
  });

  it('take no more than linear time where nothing can fit', () => {
    const long = label(`[RESP-CHUNK] Pod ADDED - ${'a'.repeat(20_000)}`);
    const stars = `[RESP-CHUNK] Pod ADDED - ${'*a'.repeat(3)}b`;
    expect(read(stars, long)).toBeNull();
  });
});
