// Tells what is wrong with a client's certificate behind a 401: an API server asks for certificates and does not require them, so one that
// it cannot verify ends as a refused request, not as an alert (k8s.io/apiserver, pkg/authentication/request/x509).

import { BoundedMap } from '../../../core/collections/bounded.js';
import { fieldValue } from '../../../core/fields.js';
import type { Exchange } from '../../../http/exchange-event.js';
import { shownName } from '../../../redaction/names.js';
import type { PeerCertificate, TlsEstablished } from '../../../tcp/stream-event.js';

export class ClientCertificates {
  readonly #shown = new BoundedMap<number, PeerCertificate>(MAX_CONNECTIONS, 'certificates of refused clients');
  /** Server → an issuer whose certificates it accepted, the first one. */
  readonly #accepted = new BoundedMap<string, string>(MAX_SERVERS, 'issuers of clients');

  /** A TLS session begins: a certificate that was shown in another session on that connection does not count for it. */
  onTlsEstablished({ connection }: TlsEstablished): void {
    if (this.#shown.size > 0) this.#shown.delete(connection.id);
  }

  onCertificate(certificate: PeerCertificate): void {
    if (certificate.of === 'client') this.#shown.set(certificate.connection.id, certificate);
  }

  /**
   * @param status of the response. @param time of it, ns since the epoch: certificates are verified for each request.
   * @returns in words whose certificate is not valid, and why; undefined: nothing is wrong with it, or none was shown.
   */
  faultOf({ connection, request }: Exchange, status: number | undefined, time: bigint): string | undefined {
    const certificate = this.#shown.get(connection.id);
    if (certificate === undefined || status === undefined) return undefined;
    const { commonName, issuer, validity } = certificate;
    const server = `${connection.server.address} ${connection.server.port}`;
    const accepted = this.#accepted.get(server);
    if (status !== UNAUTHORIZED) {
      const hasToken = request === null || fieldValue(request.fields, 'authorization') !== undefined;
      if (accepted === undefined && issuer !== null && !hasToken) this.#accepted.set(server, issuer);
      return undefined;
    }
    const [from, to] = validity;
    const now = Number(time / 1_000_000n);
    const isOfOther = accepted !== undefined && issuer !== null && accepted !== issuer;
    const why =
      now > to
        ? `expired ${dateText(to)}`
        : now < from
          ? `is not valid before ${dateText(from)}`
          : isOfOther
            ? `is not of the issuer of accepted ones, ${shownName(accepted)}`
            : undefined;
    const by = issuer === null ? '' : `, issued by ${shownName(issuer)}`;
    return why === undefined ? undefined : `the client's certificate (${shownName(commonName)}${by}) ${why}`;
  }
}

/** Times in certificates have no fraction of a second (RFC 5280, 4.1.2.5). */
function dateText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

const UNAUTHORIZED = 401;
/** Limit: connections whose client showed a certificate, 0.2 KiB each. */
const MAX_CONNECTIONS = 20_000;
/** Limit: servers that accepted a client's certificate. */
const MAX_SERVERS = 1000;
