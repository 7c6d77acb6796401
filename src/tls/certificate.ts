// Whose a certificate is, and what is wrong with it. Knows X.509 by way of node:crypto; verifies nothing: who was let in, the
// server's answers tell, and who was not, its alerts.

import { X509Certificate } from 'node:crypto';
import { latin1 } from '../core/bytes/bytes.js';
import { memo } from '../core/collections/memo.js';

const COMMON_NAME = 'CN=';
const ADDRESS = /^[\d.]+$|:/;
/** Of a cluster's nodes and components, remembered. */
const MAX_CERTIFICATES = 1000;
/** Bytes; those of Kubernetes have some 1,000, RSA's with many names 3,000. */
const MAX_LENGTH = 8192;
/** Characters of a name: X.520's bound for common names (ub-common-name); texts longer than some names are cut. */
const MAX_NAME = 64;
const MAX_NAMES = 160;

/** A certificate that was shown, as long as it may be needed. */
export interface CertificateNames {
  /** Of its subject (RFC 5280, 4.1.2.6); null: it has none. */
  readonly commonName: string | null;
  /** DER as Latin-1. */
  readonly der: string;
  /** ms since the epoch: when it begins and ends to be valid (RFC 5280, 4.1.2.5). */
  readonly validity: readonly [number, number];
}

/** @param der one certificate. @returns null where the bytes are no certificate, or too many. */
export function certificateOf(der: Uint8Array): CertificateNames | null {
  return der.length > MAX_LENGTH ? null : shown(latin1(der, 0, der.length));
}

/**
 * What it says of itself that may be why somebody did not accept it: whose it is and who issued it, then what is wrong at that
 * time and for that name. Names only; in one line.
 *
 * @param at ns since the epoch. @param peer address or name by which its owner was asked; null: nobody asked it by name.
 */
export function certificateWords(
  { der, commonName }: Pick<CertificateNames, 'der' | 'commonName'>,
  at: bigint,
  peer: string | null,
): string {
  try {
    const certificate = new X509Certificate(Buffer.from(der, 'latin1'));
    const issuer = nameIn(certificate.issuer);
    const isOwn = certificate.issuer === certificate.subject;
    const words = [
      cut(commonName ?? 'without a common name', MAX_NAME),
      isOwn ? 'issued by itself' : `issued by ${cut(issuer ?? 'nobody named', MAX_NAME)}`,
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

/** Whether its time is, or is not over, at `at` (ns since the epoch). */
export function isCurrent({ validity: [from, to] }: CertificateNames, at: bigint): boolean {
  const now = Number(at / 1_000_000n);
  return now >= from && now <= to;
}

/** A server shows the same one again and again. */
const shown = memo((der: string): CertificateNames | null => {
  try {
    const { subject, validFrom, validTo } = new X509Certificate(Buffer.from(der, 'latin1'));
    return { commonName: nameIn(subject), der, validity: [Date.parse(validFrom), Date.parse(validTo)] };
  } catch {
    return null;
  }
}, MAX_CERTIFICATES);

/** A line for each attribute; control characters within are escaped (RFC 2253), so no value has lines of its own. */
function nameIn(attributes: string | undefined): string | null {
  const lines = attributes?.split('\n') ?? [];
  const name = lines.findLast((line) => line.startsWith(COMMON_NAME))?.slice(COMMON_NAME.length) ?? '';
  return name === '' ? null : name;
}

/** By its alternative names alone (RFC 9525, 6.3), as crypto/x509 has it. */
function isFor(certificate: X509Certificate, peer: string): boolean {
  const found = ADDRESS.test(peer) ? certificate.checkIP(peer) : certificate.checkHost(peer, { subject: 'never' });
  return found !== undefined;
}

/** Certificates know no part of a second. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function namesIn(certificate: X509Certificate): string {
  return certificate.subjectAltName?.replaceAll('IP Address:', '').replaceAll('DNS:', '') ?? 'no name';
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
