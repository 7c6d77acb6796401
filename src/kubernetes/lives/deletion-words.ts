// Says who deleted an object, in words and as data.

import { dictionary } from '../../core/collections/dictionary.js';
import type { Deletion, FirstCause, Message } from '../messages/message.js';

/** `deleted by kubectl, message 1042; finished by kubelet (node-1), message 1073`. */
export function deletionWords({ askedBy, because, finishedBy }: Deletion): string {
  const why = because === null ? '' : `, ${becauseWords(because)}`;
  const asked =
    askedBy === null ? 'deleted; no captured request asked for it' : `deleted by ${whoAsked(askedBy.request)}${why}`;
  return finishedBy === null
    ? asked
    : `${asked}; finished by ${senderText(finishedBy.request)}, message ${finishedBy.request.seq}`;
}

/** As data: participants and numbers of messages. */
export function deletionFields({ askedBy, because, finishedBy }: Deletion) {
  const fields = ({ request: { from, user, seq } }: { readonly request: Message }) => ({
    by: from.name,
    user,
    message: seq,
  });
  return {
    askedBy: askedBy === null ? null : fields(askedBy),
    because: because === null ? undefined : { ...fields(because), certain: because.isCertain },
    finishedBy: finishedBy === null ? undefined : fields(finishedBy),
  };
}

function whoAsked(request: Message): string {
  const { seq, verb, subresource } = request;
  const how = subresource === 'eviction' ? ' (an eviction)' : verb === 'deletecollection' ? ' (of a collection)' : '';
  return `${senderText(request)}, message ${seq}${how}`;
}

interface Sender {
  readonly from: { readonly name: string };
  readonly user?: string;
}

/** `kubectl as jane`: who sent a request, with the user if the capture tells it and no word of the sender's name does. */
export function senderText({ from, user }: Sender): string {
  const isSaid = user === undefined || from.name.split(/[ ()]+/).includes(user.slice(user.lastIndexOf(':') + 1));
  return isSaid ? from.name : `${from.name} as ${user}`;
}

/** `because kubectl deleted Job once, message 3022`. */
function becauseWords({ request, kind, isCertain }: FirstCause): string {
  const { verb = '', resource, subresource, name, seq } = request;
  const what = `${kind ?? resource}${name === undefined ? '' : ` ${name}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${isCertain ? '' : 'perhaps '}because ${senderText(request)} ${PAST_TENSE[verb] ?? verb} ${what}, message ${seq}`;
}

const PAST_TENSE = dictionary<Readonly<Record<string, string>>>({
  create: 'created',
  update: 'updated',
  patch: 'patched',
  apply: 'applied',
  delete: 'deleted',
  deletecollection: 'deleted all',
});
