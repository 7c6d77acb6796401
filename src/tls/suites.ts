// Lists the cipher suites that kubeseq reads (IANA TLS Cipher Suites registry). Key exchange and signature do not matter, because the
// key log has their result.

export interface Cipher {
  /** Name in node:crypto. */
  readonly name: string;
  readonly mode: 'gcm' | 'ccm' | 'chacha' | 'cbc';
  /** Bytes. */
  readonly keyLength: number;
  /** Bytes of the AEAD tag, or of the HMAC for CBC. */
  readonly tagLength: number;
  /** Hash of the HMAC for CBC, else null. */
  readonly mac: 'sha1' | 'sha256' | 'sha384' | null;
}

export interface Suite {
  readonly id: number;
  readonly name: string;
  readonly version: '1.2' | '1.3';
  readonly cipher: Cipher;
  /** Hash of the key schedule: HKDF (1.3) or PRF (1.2). */
  readonly hash: 'sha256' | 'sha384';
}

/** @returns undefined if kubeseq does not read the suite. */
export function suiteById(id: number): Suite | undefined {
  return BY_ID.get(id);
}

/** All suites in order of number. */
export function allSuites(): Iterable<Suite> {
  return BY_ID.values();
}

const AES_128_GCM: Cipher = { name: 'aes-128-gcm', mode: 'gcm', keyLength: 16, tagLength: 16, mac: null };
const AES_256_GCM: Cipher = { name: 'aes-256-gcm', mode: 'gcm', keyLength: 32, tagLength: 16, mac: null };
const AES_128_CCM: Cipher = { name: 'aes-128-ccm', mode: 'ccm', keyLength: 16, tagLength: 16, mac: null };
const AES_256_CCM: Cipher = { name: 'aes-256-ccm', mode: 'ccm', keyLength: 32, tagLength: 16, mac: null };
const AES_128_CCM_8: Cipher = { name: 'aes-128-ccm', mode: 'ccm', keyLength: 16, tagLength: 8, mac: null };
const AES_256_CCM_8: Cipher = { name: 'aes-256-ccm', mode: 'ccm', keyLength: 32, tagLength: 8, mac: null };
const CHACHA20_POLY1305: Cipher = {
  name: 'chacha20-poly1305',
  mode: 'chacha',
  keyLength: 32,
  tagLength: 16,
  mac: null,
};
const AES_128_CBC_SHA: Cipher = { name: 'aes-128-cbc', mode: 'cbc', keyLength: 16, tagLength: 20, mac: 'sha1' };
const AES_256_CBC_SHA: Cipher = { name: 'aes-256-cbc', mode: 'cbc', keyLength: 32, tagLength: 20, mac: 'sha1' };
const AES_128_CBC_SHA256: Cipher = { name: 'aes-128-cbc', mode: 'cbc', keyLength: 16, tagLength: 32, mac: 'sha256' };
const AES_256_CBC_SHA256: Cipher = { name: 'aes-256-cbc', mode: 'cbc', keyLength: 32, tagLength: 32, mac: 'sha256' };
const AES_256_CBC_SHA384: Cipher = { name: 'aes-256-cbc', mode: 'cbc', keyLength: 32, tagLength: 48, mac: 'sha384' };

// The SHA-1 suites keep SHA-1 for their HMAC only; their PRF in TLS 1.2 is SHA-256 (RFC 5246, 5).
const ROWS: readonly (readonly [number, string, Cipher, 'sha256' | 'sha384'])[] = [
  [0x002f, 'TLS_RSA_WITH_AES_128_CBC_SHA', AES_128_CBC_SHA, 'sha256'],
  [0x0033, 'TLS_DHE_RSA_WITH_AES_128_CBC_SHA', AES_128_CBC_SHA, 'sha256'],
  [0x0035, 'TLS_RSA_WITH_AES_256_CBC_SHA', AES_256_CBC_SHA, 'sha256'],
  [0x0039, 'TLS_DHE_RSA_WITH_AES_256_CBC_SHA', AES_256_CBC_SHA, 'sha256'],
  [0x003c, 'TLS_RSA_WITH_AES_128_CBC_SHA256', AES_128_CBC_SHA256, 'sha256'],
  [0x003d, 'TLS_RSA_WITH_AES_256_CBC_SHA256', AES_256_CBC_SHA256, 'sha256'],
  [0x0067, 'TLS_DHE_RSA_WITH_AES_128_CBC_SHA256', AES_128_CBC_SHA256, 'sha256'],
  [0x006b, 'TLS_DHE_RSA_WITH_AES_256_CBC_SHA256', AES_256_CBC_SHA256, 'sha256'],
  [0x008c, 'TLS_PSK_WITH_AES_128_CBC_SHA', AES_128_CBC_SHA, 'sha256'],
  [0x008d, 'TLS_PSK_WITH_AES_256_CBC_SHA', AES_256_CBC_SHA, 'sha256'],
  [0x0090, 'TLS_DHE_PSK_WITH_AES_128_CBC_SHA', AES_128_CBC_SHA, 'sha256'],
  [0x0091, 'TLS_DHE_PSK_WITH_AES_256_CBC_SHA', AES_256_CBC_SHA, 'sha256'],
  [0x0094, 'TLS_RSA_PSK_WITH_AES_128_CBC_SHA', AES_128_CBC_SHA, 'sha256'],
  [0x0095, 'TLS_RSA_PSK_WITH_AES_256_CBC_SHA', AES_256_CBC_SHA, 'sha256'],
  [0x009c, 'TLS_RSA_WITH_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0x009d, 'TLS_RSA_WITH_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0x009e, 'TLS_DHE_RSA_WITH_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0x009f, 'TLS_DHE_RSA_WITH_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0x00a8, 'TLS_PSK_WITH_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0x00a9, 'TLS_PSK_WITH_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0x00aa, 'TLS_DHE_PSK_WITH_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0x00ab, 'TLS_DHE_PSK_WITH_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0x00ac, 'TLS_RSA_PSK_WITH_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0x00ad, 'TLS_RSA_PSK_WITH_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0x00ae, 'TLS_PSK_WITH_AES_128_CBC_SHA256', AES_128_CBC_SHA256, 'sha256'],
  [0x00af, 'TLS_PSK_WITH_AES_256_CBC_SHA384', AES_256_CBC_SHA384, 'sha384'],
  [0x00b2, 'TLS_DHE_PSK_WITH_AES_128_CBC_SHA256', AES_128_CBC_SHA256, 'sha256'],
  [0x00b3, 'TLS_DHE_PSK_WITH_AES_256_CBC_SHA384', AES_256_CBC_SHA384, 'sha384'],
  [0x00b6, 'TLS_RSA_PSK_WITH_AES_128_CBC_SHA256', AES_128_CBC_SHA256, 'sha256'],
  [0x00b7, 'TLS_RSA_PSK_WITH_AES_256_CBC_SHA384', AES_256_CBC_SHA384, 'sha384'],
  [0x1301, 'TLS_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0x1302, 'TLS_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0x1303, 'TLS_CHACHA20_POLY1305_SHA256', CHACHA20_POLY1305, 'sha256'],
  [0x1304, 'TLS_AES_128_CCM_SHA256', AES_128_CCM, 'sha256'],
  [0x1305, 'TLS_AES_128_CCM_8_SHA256', AES_128_CCM_8, 'sha256'],
  [0xc009, 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', AES_128_CBC_SHA, 'sha256'],
  [0xc00a, 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', AES_256_CBC_SHA, 'sha256'],
  [0xc013, 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', AES_128_CBC_SHA, 'sha256'],
  [0xc014, 'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', AES_256_CBC_SHA, 'sha256'],
  [0xc023, 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', AES_128_CBC_SHA256, 'sha256'],
  [0xc024, 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384', AES_256_CBC_SHA384, 'sha384'],
  [0xc027, 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', AES_128_CBC_SHA256, 'sha256'],
  [0xc028, 'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384', AES_256_CBC_SHA384, 'sha384'],
  [0xc02b, 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0xc02c, 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0xc02f, 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0xc030, 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0xc035, 'TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA', AES_128_CBC_SHA, 'sha256'],
  [0xc036, 'TLS_ECDHE_PSK_WITH_AES_256_CBC_SHA', AES_256_CBC_SHA, 'sha256'],
  [0xc037, 'TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA256', AES_128_CBC_SHA256, 'sha256'],
  [0xc038, 'TLS_ECDHE_PSK_WITH_AES_256_CBC_SHA384', AES_256_CBC_SHA384, 'sha384'],
  [0xc09c, 'TLS_RSA_WITH_AES_128_CCM', AES_128_CCM, 'sha256'],
  [0xc09d, 'TLS_RSA_WITH_AES_256_CCM', AES_256_CCM, 'sha256'],
  [0xc09e, 'TLS_DHE_RSA_WITH_AES_128_CCM', AES_128_CCM, 'sha256'],
  [0xc09f, 'TLS_DHE_RSA_WITH_AES_256_CCM', AES_256_CCM, 'sha256'],
  [0xc0a0, 'TLS_RSA_WITH_AES_128_CCM_8', AES_128_CCM_8, 'sha256'],
  [0xc0a1, 'TLS_RSA_WITH_AES_256_CCM_8', AES_256_CCM_8, 'sha256'],
  [0xc0a2, 'TLS_DHE_RSA_WITH_AES_128_CCM_8', AES_128_CCM_8, 'sha256'],
  [0xc0a3, 'TLS_DHE_RSA_WITH_AES_256_CCM_8', AES_256_CCM_8, 'sha256'],
  [0xc0a4, 'TLS_PSK_WITH_AES_128_CCM', AES_128_CCM, 'sha256'],
  [0xc0a5, 'TLS_PSK_WITH_AES_256_CCM', AES_256_CCM, 'sha256'],
  [0xc0a6, 'TLS_DHE_PSK_WITH_AES_128_CCM', AES_128_CCM, 'sha256'],
  [0xc0a7, 'TLS_DHE_PSK_WITH_AES_256_CCM', AES_256_CCM, 'sha256'],
  [0xc0a8, 'TLS_PSK_WITH_AES_128_CCM_8', AES_128_CCM_8, 'sha256'],
  [0xc0a9, 'TLS_PSK_WITH_AES_256_CCM_8', AES_256_CCM_8, 'sha256'],
  [0xc0aa, 'TLS_PSK_DHE_WITH_AES_128_CCM_8', AES_128_CCM_8, 'sha256'],
  [0xc0ab, 'TLS_PSK_DHE_WITH_AES_256_CCM_8', AES_256_CCM_8, 'sha256'],
  [0xc0ac, 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM', AES_128_CCM, 'sha256'],
  [0xc0ad, 'TLS_ECDHE_ECDSA_WITH_AES_256_CCM', AES_256_CCM, 'sha256'],
  [0xc0ae, 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', AES_128_CCM_8, 'sha256'],
  [0xc0af, 'TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8', AES_256_CCM_8, 'sha256'],
  [0xcca8, 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', CHACHA20_POLY1305, 'sha256'],
  [0xcca9, 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', CHACHA20_POLY1305, 'sha256'],
  [0xccaa, 'TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256', CHACHA20_POLY1305, 'sha256'],
  [0xccab, 'TLS_PSK_WITH_CHACHA20_POLY1305_SHA256', CHACHA20_POLY1305, 'sha256'],
  [0xccac, 'TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256', CHACHA20_POLY1305, 'sha256'],
  [0xccad, 'TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256', CHACHA20_POLY1305, 'sha256'],
  [0xccae, 'TLS_RSA_PSK_WITH_CHACHA20_POLY1305_SHA256', CHACHA20_POLY1305, 'sha256'],
  [0xd001, 'TLS_ECDHE_PSK_WITH_AES_128_GCM_SHA256', AES_128_GCM, 'sha256'],
  [0xd002, 'TLS_ECDHE_PSK_WITH_AES_256_GCM_SHA384', AES_256_GCM, 'sha384'],
  [0xd003, 'TLS_ECDHE_PSK_WITH_AES_128_CCM_8_SHA256', AES_128_CCM_8, 'sha256'],
  [0xd005, 'TLS_ECDHE_PSK_WITH_AES_128_CCM_SHA256', AES_128_CCM, 'sha256'],
];

const BY_ID = new Map<number, Suite>(
  ROWS.map(([id, name, cipher, hash]) => [id, { id, name, version: id >>> 8 === 0x13 ? '1.3' : '1.2', cipher, hash }]),
);
