// Words with digits in them that everybody knows: protocols, encodings, architectures.

/** In lower case. */
export const WORD_PARTS: ReadonlySet<string> = new Set(
  [
    'k8s k3s k0s k9s rke2 fabric8 boto3 i18n l10n a11y p2p e2e b2b h2 h2c h3',
    'http2 http3 oauth2 oauth1 oidc saml2 scim2 fido2 jwks rfc7519',
    'base64 base32 utf8 utf16 ascii sha1 sha256 sha512 md5 crc32 ed25519 rs256 es256',
    'ipv4 ipv6 ip4 ip6 tls12 tls13 ec2 s3 gp2 gp3 ebs efs route53 iso8601 epsg4326',
    'amd64 arm64 arm32 x86 x64 i386 s390x ppc64le riscv64 win32 win64',
    'python3 python2 node18 node20 go1 log4j mp3 mp4 h264 h265 mpeg2 woff2 css3 html5 es6',
  ]
    .join(' ')
    .split(' '),
);
