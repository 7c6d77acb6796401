// Observations of few messages, made of a line for each: what was asked, answered, delivered and cut.
//
//   C GET a                        kubectl asks for Pod a: message 1
//   answer 1 409                   its answer
//   S told ADDED a                 an event in the scheduler's watch; `in 2`: in another one
//   M told ADDED web-1 of ReplicaSet/web
//   R PATCH b by 1 store           caused by message 1; `certain` if it is
//   C watches pods; cut 1          a watch, and its end

import type { Message, Participant } from '../../src/kubernetes/messages/message.js';
import { APISERVER, type Given, KUBECTL, MANAGER, message, REPLICASETS, SCHEDULER } from './messages.js';

const WHO: Readonly<Record<string, Participant>> = {
  C: KUBECTL,
  S: SCHEDULER,
  M: MANAGER,
  R: REPLICASETS,
};
const VERBS: Readonly<Record<string, string>> = { GET: 'get', PATCH: 'patch', DELETE: 'delete' };
const REASONS: Readonly<Record<string, string>> = { 200: 'OK', 409: 'Conflict' };
export const PODS = '/api/v1/namespaces/default/pods';

/** @param text lines, or their parts between semicolons: one message each, a second apart. */
export function storyOf(text: string): Message[] {
  const messages: Message[] = [];
  for (const line of text.split(/[;\n]\s*/).filter((one) => one.trim() !== '')) {
    const seq = messages.length + 1;
    const given = givenBy(line.trim(), messages);
    messages.push({ ...message(given), seq, exchange: given.exchange ?? seq, time: BigInt(seq) * 1_000_000_000n });
  }
  return messages;
}

function givenBy(line: string, messages: readonly Message[]): Given {
  const [first, second, ...rest] = line.split(' ');
  if (first === 'answer') return answered(messages[Number(second) - 1], rest[0]);
  if (first === 'cut') return cut(messages[Number(second) - 1]);
  const from = WHO[first];
  if (from === undefined) throw new Error(`no message: ${line}`);
  if (second === 'told') return told(from, rest);
  if (second === 'watches') {
    const target = `/api/v1/namespaces/default/${rest[0]}?watch=true`;
    return {
      from,
      to: APISERVER,
      method: 'GET',
      verb: 'watch',
      resource: rest[0],
      target,
      label: `[REQ] GET ${target}`,
    };
  }
  const [name, by, cause, how, certain] = rest;
  const target = `${PODS}/${name}`;
  const asked: Given = {
    from,
    to: APISERVER,
    method: second,
    verb: VERBS[second],
    target,
    label: `[REQ] ${second} ${target}`,
  };
  const about: Given = { ...asked, resource: 'pods', namespace: 'default', name };
  if (by === undefined) return about;
  const seq = Number(cause);
  return { ...about, causedBy: seq, cause: { seq, how, certain: certain === 'certain', others: [seq] } } as Given;
}

function answered({ from, exchange }: Message, status = '200'): Given {
  const label = `[RESP] ${status} ${REASONS[status]}`;
  return { kind: 'response', from: APISERVER, to: from, exchange, status: Number(status), label };
}

/** `ADDED web-1 of ReplicaSet/web in 2` */
function told(to: Participant, words: readonly string[]): Given {
  const [type, text, ...more] = words;
  const [kind, name] = text.includes('/') ? text.split('/') : ['Pod', text];
  const after = (word: string): string | undefined => (more.includes(word) ? more[more.indexOf(word) + 1] : undefined);
  const [ownerKind, owner] = after('of')?.split('/') ?? [];
  const owners = owner === undefined ? undefined : [{ kind: ownerKind, name: owner, uid: `uid-${owner}` }];
  const object = { kind, namespace: 'default', name, uid: `uid-${name}`, ...(owners && { owners }) };
  const label = `[RESP-CHUNK] ${kind} ${type} - ${name}`;
  return { kind: 'event', from: APISERVER, to, exchange: 1000 * Number(after('in') ?? 1) + to.id, type, label, object };
}

function cut({ from, method, target, verb, resource, exchange }: Message): Given {
  const label = '[END] cut: FIN, 4.0 s without a byte';
  const of = { method, target, verb, resource, exchange };
  return { kind: 'end', from: APISERVER, to: from, label, cut: { by: 'server', how: 'FIN' }, ...of };
}
