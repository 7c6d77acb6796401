import { expect, it } from 'vitest';
import { redactionOf } from '../redaction/redaction.js';
import { SavedBeginning } from './beginning.js';

const MESSAGE = {
  seq: 1,
  time: '2026-11-21T04:13:34.991066Z',
  kind: 'request',
  protocol: 'kubernetes',
  from: 'kubectl',
  to: 'kube-apiserver',
  label: '[REQ] GET /version',
  exchange: 1,
  connection: '192.0.2.10:54254-192.0.2.10:8080',
  stream: null,
  frames: [4, 4],
  complete: true,
  method: 'GET',
  target: '/version',
};
const HEAD = { kind: 'export', format: 1, redacted: true, captures: ['a.pcap'] };
/** audit.k8s.io/v1, Event. */
const AUDIT = { kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', verb: 'get', requestURI: '/version' };
const lines = (...records: object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');

function told(text: string, chunk = text.length): boolean {
  const beginning = new SavedBeginning(redactionOf());
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) {
    const isTold = beginning.feed(bytes.subarray(at, at + chunk));
    if (isTold !== null) return isTold;
  }
  return beginning.end();
}

it.each([
  ['a message', lines(MESSAGE), true],
  ['one without a line end', JSON.stringify(MESSAGE), true],
  ['its fields in another order', lines(Object.fromEntries(Object.entries(MESSAGE).reverse())), true],
  ['an export', lines(HEAD), true],
  ['the JSON of a diagram', JSON.stringify({ participants: [], messages: [MESSAGE], notes: [] }, null, 2), true],
  ['messages behind a damaged line', `${lines(MESSAGE).slice(0, 40)}\n${lines(MESSAGE)}`, true],
  ['a manifest', JSON.stringify({ name: 'x', version: '1.0.0', messages: ['x'] }, null, 2), false],
  ['an audit log', lines(AUDIT, AUDIT), false],
  ['an export of another format', lines({ ...HEAD, format: 2 }), false],
  ['no JSON', '{ not: json', false],
  ['a brace', '{', false],
  ['a brace in a line', '{\n', false],
])('%s', (_, text, expected) => {
  expect(told(text)).toBe(expected);
  expect(told(text, 1)).toBe(expected);
});

it('does not read a long audit log to its end', () => {
  const beginning = new SavedBeginning(redactionOf());
  const chunk = Buffer.from(lines(AUDIT).repeat(60));
  expect([beginning.feed(chunk), beginning.feed(chunk)]).toEqual([null, false]);
});
