// Writes the labels of a diagram in a few words: what is done to which object, without methods, paths and queries.

import { labelName, namespaceOf } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { type Arrow, isFailure, type Sequence, type Step } from '../model.js';

/**
 * @param changes what messages changed, by `seq`: `phase Pending → Failed`.
 * @returns the same sequence with `create pod nginx` in place of `[REQ] POST /api/v1/namespaces/default/pods - nginx`, and with changes
 *   `patch pod bad/status: phase Pending → Failed`.
 */
export function shortLabels(sequence: Sequence, changes?: ReadonlyMap<number, string>): Sequence {
  const shorten = (steps: readonly Step[], isRepeated: boolean): Step[] =>
    steps.map((step) => {
      if (step.kind === 'loop') return { ...step, steps: shorten(step.steps, true) };
      if (step.kind === 'note' || step.summary !== undefined) return step;
      return shortened(step, changeWords(changes?.get(step.message.seq), isRepeated));
    });
  return {
    ...sequence,
    steps: shorten(sequence.steps, false),
    remarks: [...(sequence.remarks ?? []), SHORT_LABELS_REMARK],
  };
}

/** The other repetitions may have changed something else. */
function changeWords(words: string | undefined, isRepeated: boolean): string {
  if (words === undefined) return '';
  return isRepeated ? `: first ${words}` : `: ${words}`;
}

function shortened(arrow: Arrow, changed: string): Arrow {
  const { message } = arrow;
  const words = shortWords(message) + changed;
  return { ...arrow, summary: { words, seqs: String(message.seq), hasFailed: isFailure(arrow) } };
}

/** By which readers of diagrams know short labels: they match no message. */
export const SHORT_LABELS_REMARK = 'short labels: check and diff read those of --labels full';

/** `create pod nginx`, `watch pods`, `201 Created`, `Pod nginx MODIFIED`; else the label without its mark. */
export function shortWords(message: Message): string {
  const { verb = '', resource } = message;
  // An OPTIONS has no verb.
  if (message.kind === 'request' && verb !== '' && resource !== undefined)
    return requestWordsOf(message, verb, resource);
  if (message.kind === 'event' && message.object !== undefined && message.type !== undefined) {
    const { kind, namespace, name } = message.object;
    const named = message.object.row ?? { namespace, name };
    return [kind, nameWords(message, named.namespace ?? undefined, named.name ?? undefined), message.type]
      .filter((one) => one !== '')
      .join(' ');
  }
  // A watch's response goes on, which its label says in many words.
  return message.label.replace(MARK, '').replace(CHUNKED, '');
}

function requestWordsOf(message: Message, verb: string, resource: string): string {
  const { subresource, namespace, name } = message;
  const what = MANY.has(verb) && name === undefined ? resource : singular(resource);
  const part = subresource === undefined || subresource === '' ? '' : `/${subresource}`;
  const words = [verb, `${what}${part}`, nameWords(message, namespaceOf(resource, namespace), name)].filter(
    (one) => one !== '',
  );
  return words.join(' ');
}

/** Of an Event why and of whom it tells: its own name is that object's with a hash. */
function nameWords({ k8sEvent, resource }: Message, namespace: string | undefined, name: string | undefined): string {
  if (k8sEvent !== undefined && k8sEvent.name !== '')
    return `${k8sEvent.reason} of ${labelName(k8sEvent.namespace, k8sEvent.name)}`;
  const own = resource === 'events' ? name?.replace(HASH, '') : name;
  return own === undefined || own === '' ? '' : labelName(namespace, own);
}

/** As API conventions make plurals of kinds (apimachinery, pkg/api/meta: UnsafeGuessKindToResource). */
export function singular(resource: string): string {
  if (resource === 'endpoints') return resource;
  if (resource.endsWith('ies')) return `${resource.slice(0, -3)}y`;
  if (/(?:ss|us|x|ch|sh)es$/.test(resource)) return resource.slice(0, -2);
  return resource.endsWith('s') && !resource.endsWith('ss') ? resource.slice(0, -1) : resource;
}

/** Verbs of a collection. */
const MANY: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);
const MARK = /^\[[A-Z-]+\] /;
/** client-go, tools/record/event.go: makeEvent. */
const HASH = /\.[0-9a-f]{14,}$/;
const CHUNKED = /, chunked(?:, wait for chunks\.\.\.)?$/;
