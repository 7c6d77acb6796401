// What a server says of users: in the words of a refusal, in reviews of subjects and tokens, in certificate signing requests.

import { dictionary } from '../../../core/collections/dictionary.js';
import type { Body } from '../../../http/exchange-event.js';
import type { RequestInfo } from '../../api/request-info.js';
import { type Picked, pick, textIn, type Wanted } from '../../objects/pick.js';
import type { UserEvidence } from './user.js';

/** A user, as an answer has it. */
export interface StatedUser {
  readonly name: string;
  readonly from: UserEvidence;
  /** The token that was reviewed, whose owner it is; null: it is who asked. */
  readonly token: string | null;
}

/**
 * The user whom an API server does not allow something (k8s.io/apiserver, endpoints/handlers/responsewriters/errors.go:
 * forbiddenMessage). What webhooks and policies say begins with other words.
 *
 * @param message of a Status whose reason is `Forbidden`. @returns null where it names none.
 */
export function refusedIn(message: string): Refused | null {
  const match = REFUSAL.exec(message);
  if (match === null || match[1] === '') return null;
  return { name: match[1].replace(/\\(["\\])/g, '$1'), impersonates: match[2] === 'impersonate' };
}

export interface Refused {
  readonly name: string;
  /** It may not act for another user: this is who wanted to. */
  readonly impersonates: boolean;
}

/** The same of a kubelet, in plain text (pkg/kubelet/server/server.go: InstallAuthFilter). */
export function refusedByKubelet(body: Body): Refused | null {
  if (body.length > MAX_REFUSAL) return null;
  const match = KUBELET_REFUSAL.exec(Buffer.from(body.read().bytes).toString());
  return match === null ? null : { name: match[1], impersonates: false };
}

/** What the answer to a create says of a user. @returns null where it says nothing. */
export function userIn(info: RequestInfo, body: Body): StatedUser | null {
  const row = info.verb === 'create' && info.subresource === undefined ? ROWS[info.resource ?? ''] : undefined;
  if (row === undefined || row.group !== info.apiGroup) return null;
  return row.read((wanted) => pick(body.read().bytes, body.contentType, wanted));
}

/** Resources whose answers tell of users. */
const ROWS: Readonly<Partial<Record<string, StatedUserRow>>> = dictionary<Record<string, StatedUserRow>>({
  selfsubjectreviews: {
    group: 'authentication.k8s.io',
    read: (body) => {
      const status = body({ status: [2, { one: { userInfo: [1, { one: { username: [1, 'text'] } }] } }] })?.['status'];
      const name = textIn((status as Picked | undefined)?.['userInfo'] as Picked | undefined, 'username');
      return name === '' ? null : { name, from: 'self subject review', token: null };
    },
  },
  tokenreviews: {
    group: 'authentication.k8s.io',
    read: (body) => {
      const review = body(TOKEN_REVIEW);
      const token = textIn(review?.['spec'] as Picked | undefined, 'token');
      const status = review?.['status'] as Picked | undefined;
      const name = textIn(status?.['user'] as Picked | undefined, 'username');
      if (status?.['authenticated'] !== true || token === '' || name === '') return null;
      return { name, from: 'token review', token };
    },
  },
  certificatesigningrequests: {
    group: 'certificates.k8s.io',
    read: (body) => {
      const spec = body({ spec: [2, { one: { username: [2, 'text'] } }] })?.['spec'] as Picked | undefined;
      const name = textIn(spec, 'username');
      return name === '' ? null : { name, from: 'certificate signing request', token: null };
    },
  },
});

interface StatedUserRow {
  readonly group: string;
  readonly read: (body: (wanted: Wanted) => Picked | null) => StatedUser | null;
}

/** k8s.io/api/authentication/v1. */
const TOKEN_REVIEW: Wanted = {
  spec: [2, { one: { token: [1, 'text'] } }],
  status: [3, { one: { authenticated: [1, 'flag'], user: [2, { one: { username: [1, 'text'] } }] } }],
};
const REFUSAL =
  /^(?:[a-z0-9./*-]+ (?:"(?:[^"\\]|\\.)*" )?is )?forbidden: User "((?:[^"\\]|\\.)*)" cannot ([a-z*]+) (?:resource|path) "/;
const KUBELET_REFUSAL = /^Forbidden \(user=(.{1,253}?), verb=[a-z]+, resource=/;
/** Bytes of a kubelet's refusal, which is one line. */
const MAX_REFUSAL = 1024;
