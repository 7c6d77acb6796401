// Describes an arrow in a sentence: who does what to which object, and which arrow caused it.

import { queryDecoded } from '../../core/bytes/percent.js';
import { dictionary } from '../../core/collections/dictionary.js';
import { elapsedText } from '../../core/duration.js';
import { counted } from '../../core/quantity.js';
import { predecessorOf } from '../../diagram/message-index.js';
import { type Arrow, legsOf, type Sequence } from '../../diagram/model.js';
import { namespaceOf } from '../../kubernetes/api/object-ref.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { codeSpan, escapeMarkdown } from '../escape/markdown-escape.js';

export class StepWords {
  readonly #names: ReadonlyMap<string, string>;
  /** Number in the diagram, by message. */
  readonly #numbers: ReadonlyMap<number, number>;

  constructor(sequence: Sequence, arrows: readonly Arrow[]) {
    this.#names = new Map(sequence.participants.map(({ id, name }) => [id, name]));
    const numbers = new Map<number, number>();
    let next = 1;
    for (const arrow of arrows) {
      const { message } = arrow;
      numbers.set(message.seq, next);
      next += legsOf(arrow).length;
    }
    this.#numbers = numbers;
  }

  /** Numbers in the diagram, one for each leg of the arrow. */
  numbersOf(arrow: Arrow): readonly number[] {
    const first = this.#numbers.get(arrow.message.seq) as number;
    return legsOf(arrow).map((_, i) => first + i);
  }

  sentence(arrow: Arrow): string {
    const { message } = arrow;
    const from = escapeMarkdown(this.#names.get(arrow.from) ?? '');
    const to = escapeMarkdown(this.#names.get(arrow.to) ?? '');
    switch (message.kind) {
      case 'request':
        return `${from} ${requestWords(message, to)}${this.#because(message)}.`;
      case 'response':
        return `${from} answers ${this.#requestOrReceiver(message, to)}${after(message)}: ${answerWords(message)}.`;
      case 'event':
        return `${from} notifies ${to}${this.#watch(message)}: ${eventWords(message)}${this.#because(message)}.`;
      case 'data':
        return `${from} sends ${to} ${dataWords(message)}.`;
      case 'end':
        return `${from} breaks ${this.#requestOrReceiver(message, to)} off: ${message.label.replace(/^\[\w+\] /, '')}.`;
    }
  }

  #because(message: Message): string {
    const { causedBy, cause, kind } = message;
    if (causedBy === undefined) return '';
    const number = this.#numbers.get(causedBy);
    const isGuess = cause !== undefined && predecessorOf(message) === undefined;
    const verb = `${isGuess ? 'perhaps ' : ''}${kind === 'event' ? 'made by' : 'because of'}`;
    return number === undefined ? `, ${verb} message ${causedBy}, which is not drawn` : `, ${verb} arrow ${number}`;
  }

  #requestOrReceiver({ request }: Message, to: string): string {
    const number = request === undefined ? undefined : this.#numbers.get(request.seq);
    return number === undefined ? to : `arrow ${number}`;
  }

  #watch({ request }: Message): string {
    const number = request === undefined ? undefined : this.#numbers.get(request.seq);
    return number === undefined ? '' : ` on the watch of arrow ${number}`;
  }
}

function requestWords(message: Message, to: string): string {
  if (message.protocol !== 'kubernetes' || message.resource === undefined)
    return `calls ${to}: ${codeSpan(message.label.replace(/^\[\w+\] /, ''))}`;
  const { verb = '', subresource } = message;
  const special = subresource === undefined ? undefined : SUBRESOURCES[subresource];
  if (special !== undefined && (verb !== 'get' || OPENED_BY_GET.has(subresource ?? ''))) return special(message);
  const what =
    subresource === undefined ? objectWords(message) : `the ${escapeMarkdown(subresource)} of ${objectWords(message)}`;
  return `${VERBS[verb] ?? escapeMarkdown(verb)} ${what}${selectors(message)}`;
}

/** `Pod nginx in namespace default`; for lists and watches the resource. */
function objectWords(message: Message): string {
  const { resource = '', namespace, name, object, verb, subresource } = message;
  const own =
    subresource === undefined && verb !== 'patch' && !OPTION_KINDS.has(object?.kind ?? '') ? object?.kind : undefined;
  const kind = own ?? KINDS[resource];
  const many = name === undefined;
  const place = namespaceOf(resource, namespace);
  const where = place === undefined ? '' : ` in namespace ${codeSpan(place)}`;
  if (many && verb !== 'create') return `${codeSpan(resource)}${where}`;
  const title = kind === undefined ? codeSpan(resource) : escapeMarkdown(kind);
  return `${many ? `a new ${title}` : `${title} ${codeSpan(name)}`}${where}`;
}

function selectors({ target }: Message): string {
  const query = target?.split('?', 2)[1];
  if (query === undefined) return '';
  const shown = query.split('&').flatMap((parameter) => {
    const [name, value = ''] = parameter.split('=', 2);
    return (name === 'fieldSelector' || name === 'labelSelector') && value !== ''
      ? [codeSpan(queryDecoded(value))]
      : [];
  });
  return shown.length === 0 ? '' : ` with ${shown.join(' and ')}`;
}

function after({ latencyMs }: Message): string {
  return latencyMs === undefined ? '' : ` after ${elapsedText(latencyMs * 1e6)}`;
}

function answerWords(message: Message): string {
  const line = message.label.replace(/^\[[\w-]+\] /, '');
  const { object, reason, statusMessage } = message;
  if ((message.status ?? 0) >= 400) {
    const details = [...new Set([reason, statusMessage])].filter((text) => text !== undefined && text !== '');
    return [escapeMarkdown(line), ...details.map((text) => codeSpan(text as string))].join(', ');
  }
  const carried = object === undefined || object.kind === 'Status' ? '' : `, with ${carriedWords(object)}`;
  // The label of a watch is that its client waits; the sentence adds for what.
  return `${escapeMarkdown(line.replace(/, wait for chunks\.\.\.$/, ', its events follow'))}${carried}`;
}

function carriedWords(object: NonNullable<Message['object']>): string {
  const version = object.resourceVersion == null ? '' : ` at version ${codeSpan(object.resourceVersion)}`;
  const kind = escapeMarkdown(object.kind);
  if (object.items !== undefined) return `a ${kind} of ${object.items}${version}`;
  if (object.rows !== undefined) return `a ${kind} of ${counted(object.rows, 'row')}`;
  return `${kind} ${codeSpan(object.name ?? '')}${version}`.replace(/ {2,}/g, ' ').trimEnd();
}

function eventWords(message: Message): string {
  const { object, type = '', protocol } = message;
  if (object === undefined || protocol !== 'kubernetes') return codeSpan(message.label.replace(/^\[[\w-]+\] /, ''));
  const details = message.statusMessage === undefined ? '' : `, ${codeSpan(message.statusMessage)}`;
  return `${carriedWords(object)} is ${escapeMarkdown(type)}${details}`;
}

function dataWords({ channel, bytes, exitCode, label }: Message): string {
  if (exitCode !== undefined) return `the end of the command, exit code ${exitCode}`;
  if (bytes === undefined) return codeSpan(label.replace(/^\[[\w-]+\] /, ''));
  return `${bytes} bytes${channel === undefined ? '' : ` on ${codeSpan(channel)}`}`;
}

const VERBS: Readonly<Record<string, string>> = dictionary({
  get: 'reads',
  list: 'lists',
  watch: 'opens a watch of',
  create: 'creates',
  update: 'replaces',
  patch: 'patches',
  delete: 'deletes',
  deletecollection: 'deletes all',
});

const SUBRESOURCES: Readonly<Record<string, (message: Message) => string>> = dictionary({
  binding: (message) => {
    const target = member(member(message.details?.body(), 'target'), 'name');
    const node = typeof target === 'string' ? ` to node ${codeSpan(target)}` : '';
    return `binds ${objectWords(message)}${node}`;
  },
  eviction: (message) => `requests the eviction of ${objectWords(message)}`,
  token: (message) => `requests a token of ${objectWords(message)}`,
  exec: (message) => `requests to run a command in ${objectWords(message)}`,
  attach: (message) => `attaches to ${objectWords(message)}`,
  portforward: (message) => `requests to forward a port of ${objectWords(message)}`,
});

/** A WebSocket is opened by a GET for any purpose. */
const OPENED_BY_GET = new Set(['exec', 'attach', 'portforward']);

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Kinds of request bodies that are not the request's object. */
const OPTION_KINDS = new Set(['DeleteOptions', 'PatchOptions', 'CreateOptions', 'UpdateOptions', 'Status', 'List']);

/** Kinds of common resources; for others the sentence names the resource. */
const KINDS: Readonly<Record<string, string>> = dictionary({
  configmaps: 'ConfigMap',
  daemonsets: 'DaemonSet',
  deployments: 'Deployment',
  endpoints: 'Endpoints',
  endpointslices: 'EndpointSlice',
  events: 'Event',
  jobs: 'Job',
  leases: 'Lease',
  namespaces: 'Namespace',
  nodes: 'Node',
  pods: 'Pod',
  replicasets: 'ReplicaSet',
  secrets: 'Secret',
  serviceaccounts: 'ServiceAccount',
  services: 'Service',
  statefulsets: 'StatefulSet',
});
