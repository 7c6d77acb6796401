// The one redaction: what a capture holds of secrets never gets past here unless `--show-secrets` was given. Knows
// field names and text patterns; knows nothing of who prints what.

export interface Redaction {
  /** A request target: values of credential parameters and URL user-info are replaced. */
  target(target: string): string;
  /** Free text (user agents, messages): bearer tokens and JWTs are replaced. */
  text(value: string): string;
}

export const REDACTED = 'REDACTED';

export const redacting: Redaction = { target: redactTarget, text: redactText };

/** For `--show-secrets` only. */
export const showing: Redaction = { target: (target) => target, text: (value) => value };

function redactTarget(target: string): string {
  let out = target;
  if (out.includes('@')) out = out.replace(USER_INFO, `$1${REDACTED}@`);
  const query = out.indexOf('?');
  if (query >= 0 && CREDENTIAL_HINT.test(out)) {
    const parameters = out
      .slice(query + 1)
      .split('&')
      .map(redactParameter);
    out = `${out.slice(0, query)}?${parameters.join('&')}`;
  }
  return redactText(out);
}

function redactParameter(parameter: string): string {
  const equals = parameter.indexOf('=');
  if (equals < 0) return parameter;
  return CREDENTIAL_PARAMETERS.has(plainName(parameter.slice(0, equals)))
    ? `${parameter.slice(0, equals)}=${REDACTED}`
    : parameter;
}

/** The name as the server reads it: `%74oken` is `token`. Broken escapes stay as they are. */
function plainName(name: string): string {
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

function redactText(value: string): string {
  if (!value.includes('eyJ') && !TOKEN_HINT.test(value)) return value;
  return value.replace(JWT, REDACTED).replace(AUTHORIZATION, `$1 ${REDACTED}`);
}

/** `https://user:password@host/…` (RFC 3986 section 3.2.1). */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;
const CREDENTIAL_PARAMETERS = new Set([
  'token',
  'access_token',
  'id_token',
  'refresh_token',
  'client_secret',
  'password',
  'x-registry-auth',
]);
/** A cheap look before the exact one; `%` because a name may be percent-encoded. */
const CREDENTIAL_HINT = /token|secret|password|x-registry-auth|%/i;
const TOKEN_HINT = /bearer|basic/i;
/** Three base64url parts, the first a JSON object (RFC 7519). */
const JWT = /eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g;
const AUTHORIZATION = /\b(bearer|basic)[ +](?!authorization)[A-Za-z0-9._~+/=-]{8,}/gi;
