// Identifies a client by its credentials: the user of its certificate, the service account of its token, the user of the API server's
// loopback client. A token is read and not kept.

import { base64Bytes, latin1 } from '../../../core/bytes/bytes.js';
import { BoundedMap } from '../../../core/collections/bounded.js';
import { dictionary } from '../../../core/collections/dictionary.js';
import { fieldValue } from '../../../core/fields.js';
import type { RequestHead } from '../../../http/http-event.js';
import { shownName } from '../../../redaction/names.js';
import type { PeerCertificate, TlsEstablished } from '../../../tcp/stream-event.js';
import { objectText } from '../../api/object-ref.js';
import { type Agent, SERVICE_ACCOUNT, tierOf } from '../../participants/components.js';
import { placeName } from '../../participants/place-name.js';

/** The node whose kubelet answers. */
interface Serving {
  readonly node: string;
  /** In words. */
  readonly why: string;
}

/** The identity of a client, as far as its credentials prove it. */
export interface UserIdentity {
  /** A component, else a user or a service account in words: `User kubernetes-admin`. */
  readonly component: string;
  readonly is: 'component' | 'account' | 'user';
  /** The node that it serves; null: none, or not known. */
  readonly node: string | null;
  /** In words. */
  readonly why: string;
}

export class ClientAuthentication {
  /** The identity that the client of a connection proved. */
  readonly #byConnection = new BoundedMap<number, UserIdentity>(MAX_CONNECTIONS, 'certificates of clients');
  /** The identity that the server of a connection proved, where it is a node's. */
  readonly #servers = new BoundedMap<number, Serving>(MAX_CONNECTIONS, 'certificates of servers');
  /** A TLS session begins: what was proved in another session on that connection, to a proxy, does not count for it. */
  onTlsEstablished({ connection, sni }: TlsEstablished): void {
    if (sni === LOOPBACK_NAME) this.#byConnection.set(connection.id, ITSELF);
    else this.#byConnection.delete(connection.id);
  }

  onCertificate({ connection, of, commonName }: PeerCertificate): void {
    const name = shownName(commonName);
    if (of === 'client') this.#byConnection.set(connection.id, askerCalled(name));
    else {
      const serving = NODE_SERVING.exec(name);
      const node = serving?.[1] ?? serving?.[2];
      if (node !== undefined) this.#servers.set(connection.id, { node, why: whyOf(name) });
    }
  }

  /** The node whose kubelet is the client of a connection, by its certificate, valid or not; null: none is shown. */
  nodeOf(connection: number): string | null {
    return this.#byConnection.get(connection)?.node ?? null;
  }

  /** The node whose kubelet answers on a connection, by its certificate; null: none is shown. */
  nodeServing(connection: number): Serving | null {
    return this.#servers.get(connection) ?? null;
  }

  /**
   * @param audited the request's user by the audit log; undefined: the request was captured.
   * @returns null where the User-Agent names the client, or nothing identifies it.
   */
  of(
    connection: number,
    request: RequestHead | null,
    { component, names }: Agent,
    audited?: string,
  ): UserIdentity | null {
    if (names === 'program' || request === null) return null;
    // An API server checks the certificate first (pkg/kubeapiserver/authenticator/config.go).
    const proved = () => this.#byConnection.get(connection) ?? accountOf(request);
    const identity = audited === undefined ? proved() : audited === '' ? null : auditedAs(audited);
    if (identity === null || identity.is === 'component') return identity;
    // A process of several components is no single client, whatever account it uses; one user has many programs, so a
    // library's name identifies more.
    const identifiesMore = names === 'library' && (identity.is === 'account' || component === null);
    return identifiesMore ? identity : null;
  }
}

/** The user that an audit log names. */
function auditedAs(user: string): UserIdentity {
  const name = shownName(user);
  const why = `is ${name} in the audit log`;
  const [, namespace, account] = ACCOUNT.exec(name) ?? [];
  if (namespace === undefined) return askerCalled(name, why);
  return { component: placeName(SERVICE_ACCOUNT, { namespace, name: account }), is: 'account', node: null, why };
}

function askerCalled(user: string, why = whyOf(user)): UserIdentity {
  const node = NODE.exec(user)?.[1];
  if (node !== undefined) return { component: 'kubelet', is: 'component', node, why };
  const part = SYSTEM.exec(user)?.[1];
  const component =
    COMPONENTS_OF_USERS[part ?? user] ?? (part !== undefined && tierOf(part) !== 'people' ? part : null);
  return component === null
    ? { component: `User ${user}`, is: 'user', node: null, why }
    : { component, is: 'component', node: null, why };
}

function whyOf(name: string): string {
  return `shows the certificate of ${name}`;
}

/** The account of a bearer token that an API server signed (RFC 7519, 4.1.2; pkg/serviceaccount/claims.go). */
function accountOf({ fields }: RequestHead): UserIdentity | null {
  const authorization = fieldValue(fields, 'authorization');
  if (authorization === undefined || authorization.length > MAX_TOKEN_CHARACTERS) return null;
  const payload = BEARER.exec(authorization)?.[1];
  const claimed = payload === undefined ? undefined : SUBJECT.exec(latin1(base64Bytes(payload)));
  if (claimed == null) return null;
  const [, namespace, name] = claimed;
  return {
    component: placeName(SERVICE_ACCOUNT, { namespace, name }),
    is: 'account',
    node: null,
    why: `shows a token of ${objectText(SERVICE_ACCOUNT, namespace, name)}`,
  };
}

/** LoopbackClientServerNameOverride (k8s.io/apiserver/pkg/server/config_selfclient.go). */
const LOOPBACK_NAME = 'apiserver-loopback-client';
const ITSELF: UserIdentity = {
  component: 'kube-apiserver',
  is: 'component',
  node: null,
  why: `sends requests to ${LOOPBACK_NAME}`,
};
const SYSTEM = /^system:([a-z0-9-]{1,63})$/;
const NODE = /^system:node:([a-z0-9.-]{1,253})$/;

/**
 * A kubelet's serving certificate: of the cluster's authority, or self-signed (pkg/kubelet/certificate,
 * cmd/kubelet/app: GenerateSelfSignedCertKey, of NODE@SECONDS).
 */
const NODE_SERVING = /^system:node:([a-z0-9.-]{1,253})$|^([a-z0-9.-]{1,253})@\d{9,11}$/;

/** Users, without `system:`, in the certificates of kubeadm, k3s and others. */
const COMPONENTS_OF_USERS: Readonly<Partial<Record<string, string>>> = dictionary({
  apiserver: 'kube-apiserver',
  'kube-apiserver': 'kube-apiserver',
  'kube-apiserver-kubelet-client': 'kube-apiserver',
  'kube-controller-manager': 'kube-controller-manager',
  'cloud-controller-manager': 'cloud-controller-manager',
  'k3s-cloud-controller-manager': 'cloud-controller-manager',
  'kube-scheduler': 'kube-scheduler',
  'kube-proxy': 'kube-proxy',
});

const BEARER = /^bearer +[\w-]+\.([\w-]+)\.[\w-]+$/i;
/** k8s.io/apiserver, pkg/authentication/serviceaccount: MakeUsername. */
const ACCOUNT = /^system:serviceaccount:([a-z0-9-]{1,63}):([a-z0-9.-]{1,253})$/;
/** A claim of the payload; names as Kubernetes has them, so no other text fits. */
const SUBJECT = /"sub" *: *"system:serviceaccount:([a-z0-9-]{1,63}):([a-z0-9.-]{1,253})"/;
/** Limit: characters of a bearer token of which the account is read; a service account's has 1 KB. */
const MAX_TOKEN_CHARACTERS = 8192;
/** Limit: connections whose client proved an identity, 0.1 KiB each; that of a forgotten one is identified by its User-Agent. */
const MAX_CONNECTIONS = 20_000;
