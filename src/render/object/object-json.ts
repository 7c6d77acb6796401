// Renders an object history as one JSON document, with whole values. Times and frames are as in `messages`.

import { deletionFields } from '../../kubernetes/lives/deletion-words.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type {
  Attempt,
  FieldChange,
  HistoryStep,
  Incarnation,
  Mutation,
  ObjectHistory,
  Revision,
} from '../../object-history/model.js';
import { jsonText } from '../escape/json-text.js';
import { formatTime } from '../time.js';
import type { ObjectRenderOptions } from './object-entries.js';

export function renderObjectJson(object: ObjectHistory, options: ObjectRenderOptions): string {
  const { resource, namespace, name, incarnations } = object;
  return `${jsonText({ resource, namespace, name, incarnations: incarnations.map((life) => incarnationJson(life, options)) }, 2)}\n`;
}

function incarnationJson(
  { uid, apiVersion, kind, owners, deletion, disruption, tenures, steps }: Incarnation,
  options: ObjectRenderOptions,
): object {
  const why =
    disruption === undefined
      ? undefined
      : {
          words: disruption.words,
          reason: disruption.reason ?? undefined,
          from: disruption.message.from.name,
          ...messageJson(disruption.message, options),
        };
  const held = tenures?.map(({ begin, end, lastRenewal, longestGap, failed, ...tenure }) => ({
    ...tenure,
    begin: messageJson(begin, options),
    lastRenewal: messageJson(lastRenewal, options),
    failed: failed.length === 0 ? undefined : failed.map((one) => messageJson(one, options)),
    longestGapMs: Number(longestGap) / 1e6,
    end: end === null ? undefined : messageJson(end, options),
  }));
  const deleted = deletion === undefined ? undefined : deletionFields(deletion);
  const head = { uid, apiVersion, kind, owners, deletion: deleted, disruption: why, tenures: held };
  return { ...head, steps: steps.map((step) => stepJson(step, options)) };
}

function stepJson(step: HistoryStep, options: ObjectRenderOptions): object {
  switch (step.kind) {
    case 'version':
      return revisionJson(step, options);
    case 'attempt':
      return { kind: 'attempt', what: step.what, ...writeJson(step, options) };
    case 'k8sEvent': {
      const { type, reason, message, component } = step.message.k8sEvent!;
      return {
        kind: 'k8sEvent',
        ...messageJson(step.message, options),
        from: step.message.from.name,
        component,
        type,
        reason,
        message,
        times: step.times,
      };
    }
  }
}

function revisionJson(version: Revision, options: ObjectRenderOptions): object {
  const { resourceVersion, generation, happened, first, author, managers, changes, sent, since, mutations } = version;
  return {
    kind: 'version',
    resourceVersion,
    generation,
    happened,
    ...messageJson(first, options),
    author: author === null ? null : { ...writeJson(author, options), how: author.how },
    managers: managers.length === 0 ? undefined : managers,
    since,
    sent: sent?.map(changeJson),
    mutations: mutations?.map((mutation) => mutationJson(mutation, options)),
    changes: changes === null ? null : changes.map(changeJson),
  };
}

function mutationJson({ response, changes }: Mutation, options: ObjectRenderOptions): object {
  return {
    from: response.from.name,
    ...messageJson(response, options),
    patch: response.patch,
    changes: changes.map(changeJson),
  };
}

function writeJson({ request, response }: Pick<Attempt, 'request' | 'response'>, options: ObjectRenderOptions): object {
  const { user, method, target, verb, subresource } = request;
  const { status, auditId, reason } = response ?? {};
  return {
    from: request.from.name,
    component: request.from.component,
    user,
    ...messageJson(request, options),
    method,
    target,
    verb,
    subresource,
    response:
      response === undefined
        ? null
        : { ...messageJson(response, options), status, auditId, reason: reason || undefined },
  };
}

function messageJson(message: Message, { digits, captures }: ObjectRenderOptions): object {
  const { seq, time, capture, frames } = message;
  return { seq, time: formatTime(time, digits(capture)), capture: captures?.[capture], frames };
}

function changeJson({ path, before, after }: FieldChange): object {
  return { path, before, after };
}
