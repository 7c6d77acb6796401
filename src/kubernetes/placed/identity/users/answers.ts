// Reads users from responses: from refusals, from subject and token reviews, and from certificate signing requests.

import { text } from '../../../../core/bytes/bytes.js';
import { dictionary } from '../../../../core/collections/dictionary.js';
import type { Body } from '../../../../http/exchange-event.js';
import type { RequestInfo } from '../../../api/request-info.js';
import { pick } from '../../../objects/encoding.js';
import { bool, FieldSet, message, string } from '../../../objects/fields.js';
import type { UserEvidence } from '../../../participants/user.js';

/** A user, as an answer has it. */
export interface StatedUser {
  readonly name: string;
  readonly from: UserEvidence;
  /** The token that was reviewed; null: the user is the client's own. */
  readonly token: string | null;
}

/**
 * The user whom an API server does not allow something (k8s.io/apiserver, endpoints/handlers/responsewriters/errors.go:
 * forbiddenMessage). Messages of webhooks and policies begin with other words.
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
  /** Impersonation was refused: this is the user that tried. */
  readonly impersonates: boolean;
}

/** The same of a kubelet, in plain text (pkg/kubelet/server/server.go: InstallAuthFilter). */
export function refusedByKubelet(body: Body): Refused | null {
  if (body.length > MAX_REFUSAL) return null;
  const match = KUBELET_REFUSAL.exec(text(body.read().bytes));
  return match === null ? null : { name: match[1], impersonates: false };
}

/** The user in the response to a create. @returns null where it has none. */
export function userIn(info: RequestInfo, body: Body): StatedUser | null {
  const row = info.verb === 'create' && info.subresource === undefined ? ROWS[info.resource ?? ''] : undefined;
  if (row === undefined || row.group !== info.apiGroup) return null;
  return row.read(body.read().bytes, body.contentType);
}

/** Resources whose responses name users. */
const ROWS: Readonly<Partial<Record<string, StatedUserRow>>> = dictionary<Record<string, StatedUserRow>>({
  selfsubjectreviews: {
    group: 'authentication.k8s.io',
    read: (bytes, contentType) => {
      const name = pick(bytes, contentType, SELF_SUBJECT_REVIEW)?.status?.userInfo?.username ?? '';
      return name === '' ? null : { name, from: 'self subject review', token: null };
    },
  },
  tokenreviews: {
    group: 'authentication.k8s.io',
    read: (bytes, contentType) => {
      const { spec, status } = pick(bytes, contentType, TOKEN_REVIEW) ?? {};
      const token = spec?.token ?? '';
      const name = status?.user?.username ?? '';
      if (status?.authenticated !== true || token === '' || name === '') return null;
      return { name, from: 'token review', token };
    },
  },
  certificatesigningrequests: {
    group: 'certificates.k8s.io',
    read: (bytes, contentType) => {
      const name = pick(bytes, contentType, SIGNING_REQUEST)?.spec?.username ?? '';
      return name === '' ? null : { name, from: 'certificate signing request', token: null };
    },
  },
});

interface StatedUserRow {
  readonly group: string;
  readonly read: (bytes: Uint8Array, contentType: string) => StatedUser | null;
}

// k8s.io/api: authentication/v1, certificates/v1.
const USER = { username: string(1) };
const SELF_SUBJECT_REVIEW = new FieldSet({ status: message(2, { userInfo: message(1, USER) }) });
const TOKEN_REVIEW = new FieldSet({
  spec: message(2, { token: string(1) }),
  status: message(3, { authenticated: bool(1), user: message(2, USER) }),
});
const SIGNING_REQUEST = new FieldSet({ spec: message(2, { username: string(2) }) });
const REFUSAL =
  /^(?:[a-z0-9./*-]+ (?:"(?:[^"\\]|\\.)*" )?is )?forbidden: User "((?:[^"\\]|\\.)*)" cannot ([a-z*]+) (?:resource|path) "/;
const KUBELET_REFUSAL = /^Forbidden \(user=(.{1,253}?), verb=[a-z]+, resource=/;
/** Limit in bytes: a kubelet's refusal, which is one line. */
const MAX_REFUSAL = 1024;
