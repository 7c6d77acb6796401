// The user of a request, with the evidence for the name.

/**
 * How a user is known, in one word of a closed list (docs/messages.md): by what the request itself presents, or by what a server
 * said of it, or of another request with the same credential.
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
  | 'certificate signing request';

export interface KnownUser {
  /** As the API server's audit log has it: `kubernetes-admin`, `system:serviceaccount:shop:robot`. As captured. */
  readonly name: string;
  readonly from: UserEvidence;
}

/** Whose a request is, as far as is known; what a server says of it later is written here. */
export interface RequestUser {
  known: KnownUser | null;
  /** What the message of the request said; null: nothing was known yet. */
  shown: KnownUser | null;
  /** It acts for somebody else: its own credential belongs to another user. */
  readonly isFor: boolean;
  /** What proves who it is: a bearer token; null: it has none. */
  readonly token: string | null;
  /** The TLS connection of which all requests without a token are one user's; null: they need not be. */
  readonly connection: number | null;
}
