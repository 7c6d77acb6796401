// Defines by what requests can be grouped: one row a key, with the value that a request has for it.

import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { FlowNames } from './flow-names.js';
import { pathOf } from './request-words.js';

interface GroupKey {
  /** Whether the response decides. */
  readonly ofResponse?: true;
  /** A participant stands for its name, which may get better. @param response undefined: none came. */
  readonly value: (request: Message, response: Message | undefined, names: FlowNames) => string | Participant;
}

export const GROUP_KEYS = {
  client: { value: ({ from }) => from },
  server: { value: ({ to }) => to },
  agent: { value: ({ userAgent }) => userAgent ?? '' },
  user: { ofResponse: true, value: ({ user }, response) => user ?? response?.user ?? '' },
  verb: { value: ({ verb }) => verb ?? '' },
  // As in RBAC: `pods/binding`.
  resource: {
    value: ({ resource, subresource, target }) =>
      resource === undefined ? pathOf(target) : subresource === undefined ? resource : `${resource}/${subresource}`,
  },
  group: { value: ({ apiGroup }) => apiGroup ?? '' },
  subresource: { value: ({ subresource }) => subresource ?? '' },
  namespace: { value: ({ namespace }) => namespace ?? '' },
  name: { value: ({ name }) => name ?? '' },
  status: { ofResponse: true, value: (_, response) => String(response?.status ?? '') },
  flowschema: { ofResponse: true, value: (_, response, names) => names.flowSchemaOf(response) },
  prioritylevel: { ofResponse: true, value: (_, response, names) => names.priorityLevelOf(response) },
} as const satisfies Readonly<Record<string, GroupKey>>;

export type GroupKeyName = keyof typeof GROUP_KEYS;

export const GROUP_KEY_NAMES = Object.keys(GROUP_KEYS) as readonly GroupKeyName[];
export const DEFAULT_GROUP_KEYS: readonly GroupKeyName[] = ['client', 'verb', 'resource'];

/** Whether a request's group is known only with its response. */
export function awaitsResponse(keys: readonly GroupKeyName[]): boolean {
  return keys.some((key) => 'ofResponse' in GROUP_KEYS[key]);
}
