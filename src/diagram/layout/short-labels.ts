// Writes the labels of a diagram in a few words: what is done to which object, without methods, paths and queries.

import type { Message } from '../../kubernetes/messages/message.js';
import { type Arrow, isFailure, type Sequence, type Step } from '../model.js';

/** @returns the same sequence with `create pod nginx` in place of `[REQ] POST /api/v1/namespaces/default/pods - nginx`. */
export function shortLabels(sequence: Sequence): Sequence {
  const shorten = (steps: readonly Step[]): Step[] =>
    steps.map((step) => {
      if (step.kind === 'loop') return { ...step, steps: shorten(step.steps) };
      return step.kind === 'note' || step.summary !== undefined ? step : shortened(step);
    });
  return { ...sequence, steps: shorten(sequence.steps) };
}

function shortened(arrow: Arrow): Arrow {
  const { message } = arrow;
  return {
    ...arrow,
    summary: { words: shortWords(message), seqs: String(message.seq), hasFailed: isFailure(arrow) },
  };
}

/** `create pod nginx`, `watch pods`, `201 Created`, `Pod nginx MODIFIED`; else the label without its mark. */
export function shortWords(message: Message): string {
  const { verb = '', resource } = message;
  // An OPTIONS has no verb.
  if (message.kind === 'request' && verb !== '' && resource !== undefined)
    return requestWordsOf(message, verb, resource);
  if (message.kind === 'event' && message.object !== undefined && message.type !== undefined) {
    const { kind, namespace, name } = message.object;
    const named = message.object.row ?? { namespace, name };
    return [kind, placed(named.namespace ?? undefined, named.name ?? undefined), message.type]
      .filter((one) => one !== '')
      .join(' ');
  }
  // A watch's response goes on, which its label says in many words.
  return message.label.replace(MARK, '').replace(CHUNKED, '');
}

function requestWordsOf({ subresource, namespace, name }: Message, verb: string, resource: string): string {
  const what = MANY.has(verb) && name === undefined ? resource : singular(resource);
  const part = subresource === undefined || subresource === '' ? '' : `/${subresource}`;
  // A Namespace is in itself.
  const where = resource === 'namespaces' ? undefined : namespace;
  const words = [verb, `${what}${part}`, placed(where, name)].filter((one) => one !== '');
  return words.join(' ');
}

function placed(namespace: string | undefined, name: string | undefined): string {
  if (name === undefined || name === '') return '';
  return namespace === undefined || namespace === '' || namespace === 'default' ? name : `${namespace}/${name}`;
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
const CHUNKED = /, chunked(?:, wait for chunks\.\.\.)?$/;
