// The user of a request, with the evidence for the name.

/**
 * How a user is known, in one word of a closed list (docs/messages.md): by the credentials of the request, or by what a server
 * returned for it, or for another request with the same credential.
 */
export type UserEvidence =
  | 'certificate'
  | 'token'
  | 'impersonation'
  | 'front proxy'
  | 'loopback'
  | 'refusal'
  | 'admission review'
  | 'token review'
  | 'self subject review'
  | 'certificate signing request'
  | 'audit log';

export interface KnownUser {
  /** As the API server's audit log has it: `kubernetes-admin`, `system:serviceaccount:shop:robot`. As captured. */
  readonly name: string;
  readonly from: UserEvidence;
}

/** The user of a request, as far as is known; updated by what a server returns later. */
export interface RequestUser {
  known: KnownUser | null;
  /** The user in the request's message; null: not known then. */
  shown: KnownUser | null;
  /** The credential belongs to another user (impersonation, a front proxy), so the name is not remembered for it. */
  readonly isNotOwner: boolean;
  /** The bearer token that proves it; null: it has none. */
  readonly token: string | null;
  /** The TLS connection of which all requests without a token are one user's; null: they need not be. */
  readonly connection: number | null;
}
