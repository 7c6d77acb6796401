// Reads the names and the validity of X.509 certificates. Nothing is verified: the responses and alerts of the peers show which
// certificates they accepted.

import { latin1, latin1Bytes } from '../core/bytes/bytes.js';
import { memo } from '../core/collections/memo.js';
import { type Certificate, readCertificate } from '../platform/certificate.js';

const COMMON_NAME = 'CN=';
const ADDRESS = /^[\d.]+$|:/;
/** Limit: certificates whose names are cached: those of the nodes and components of a cluster, which are shown again and again. */
const MAX_CERTIFICATES = 1000;
/** Limit in bytes: one certificate: those of Kubernetes have some 1,000, RSA certificates with many names 3,000. */
const MAX_LENGTH = 8192;
/** Limit: characters of one name in a certificate that was not accepted (X.520, `ub-common-name`); longer texts are cut. */
const MAX_NAME = 64;
/** Limit: characters of the list of names in such a certificate; longer texts are cut. */
const MAX_NAMES = 160;

export interface CertificateNames {
  /** Common name of the subject (RFC 5280, 4.1.2.6). */
  readonly commonName: string | null;
  /** Common name of the issuer. */
  readonly issuer: string | null;
  /** DER as Latin-1. */
  readonly der: string;
  /** Begin and end of the validity (RFC 5280, 4.1.2.5), ms since the epoch. */
  readonly validity: readonly [number, number];
}

/** @param der one certificate. @returns null if the bytes are no certificate, or longer than MAX_LENGTH. */
export function certificateOf(der: Uint8Array): CertificateNames | null {
  return der.length > MAX_LENGTH ? null : parsed(latin1(der, 0, der.length));
}

/**
 * One line with the possible reasons to refuse a certificate: its subject and issuer, then its faults at that time and for that
 * name.
 * @param at ns since the epoch. @param peer address or name by which the client reached its owner; null for a client's certificate.
 */
export function certificateWords(
  { der, commonName }: Pick<CertificateNames, 'der' | 'commonName'>,
  at: bigint,
  peer: string | null,
): string {
  try {
    const certificate = readCertificate(latin1Bytes(der));
    const issuer = nameIn(certificate.issuer);
    const isOwn = certificate.issuer === certificate.subject;
    const words = [
      cut(commonName ?? 'without a common name', MAX_NAME),
      isOwn ? 'issued by itself' : `issued by ${cut(issuer ?? 'an unnamed issuer', MAX_NAME)}`,
    ];
    const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    const now = Number(at / 1_000_000n);
    if (now > to) words.push(`expired ${timeText(to)}`);
    if (now < from) words.push(`not valid before ${timeText(from)}`);
    if (peer !== null && !isFor(certificate, peer))
      words.push(`not for ${peer}, but for ${cut(namesIn(certificate), MAX_NAMES)}`);
    return words.join(', ');
  } catch {
    return 'not readable';
  }
}

/** @param at ns since the epoch. */
export function isCurrent({ validity: [from, to] }: CertificateNames, at: bigint): boolean {
  const now = Number(at / 1_000_000n);
  return now >= from && now <= to;
}

/** Cached, because a server sends the same certificate on every connection. */
const parsed = memo((der: string): CertificateNames | null => {
  try {
    const { subject, issuer, validFrom, validTo } = readCertificate(latin1Bytes(der));
    const validity = [Date.parse(validFrom), Date.parse(validTo)] as const;
    return { commonName: nameIn(subject), issuer: nameIn(issuer), der, validity };
  } catch {
    return null;
  }
}, MAX_CERTIFICATES);

/** @param attributes one a line; control characters in values are escaped (RFC 2253). */
function nameIn(attributes: string | undefined): string | null {
  const lines = attributes?.split('\n') ?? [];
  const name = lines.findLast((line) => line.startsWith(COMMON_NAME))?.slice(COMMON_NAME.length) ?? '';
  return name === '' ? null : name;
}

/** Uses the subject alternative names only (RFC 9525, 6.3), like Go's crypto/x509. */
function isFor(certificate: Certificate, peer: string): boolean {
  return ADDRESS.test(peer) ? certificate.isForAddress(peer) : certificate.isForHost(peer);
}

/** Times in certificates have no fraction of a second. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function namesIn(certificate: Certificate): string {
  return certificate.subjectAltName?.replaceAll('IP Address:', '').replaceAll('DNS:', '') ?? 'no name';
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
