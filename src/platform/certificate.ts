// Reads X.509 certificates (RFC 5280) by node:crypto.

import { X509Certificate } from 'node:crypto';

/** What is read of a certificate. */
export interface Certificate {
  /** Attributes, one a line as `CN=node-1`; control characters in values are escaped (RFC 2253). */
  readonly subject: string;
  readonly issuer: string;
  /** Begin and end of the validity, for `Date.parse`. */
  readonly validFrom: string;
  readonly validTo: string;
  /** `DNS:node-1, IP Address:10.0.0.1`; undefined without such names. */
  readonly subjectAltName: string | undefined;
  /** Whether it is for this host by its alternative names; the subject does not count. */
  isForHost(name: string): boolean;
  isForAddress(address: string): boolean;
}

/** @param der one certificate. @throws for anything else. */
export function readCertificate(der: Uint8Array): Certificate {
  return new NodeCertificate(new X509Certificate(der));
}

class NodeCertificate implements Certificate {
  readonly #certificate: X509Certificate;

  constructor(certificate: X509Certificate) {
    this.#certificate = certificate;
  }

  get subject(): string {
    return this.#certificate.subject;
  }

  get issuer(): string {
    return this.#certificate.issuer;
  }

  get validFrom(): string {
    return this.#certificate.validFrom;
  }

  get validTo(): string {
    return this.#certificate.validTo;
  }

  get subjectAltName(): string | undefined {
    return this.#certificate.subjectAltName;
  }

  isForHost(name: string): boolean {
    return this.#certificate.checkHost(name, { subject: 'never' }) !== undefined;
  }

  isForAddress(address: string): boolean {
    return this.#certificate.checkIP(address) !== undefined;
  }
}
