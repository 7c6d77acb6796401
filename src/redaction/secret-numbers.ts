// Numbers that are secrets: a password of digits alone is a number to JSON and YAML, and only the name of its field shows it.

/** @param path names of members, the outermost first. @returns whether a number there may be a password, a PIN or a key. */
export function isSecretNumber(path: readonly string[]): boolean {
  const last = wordsOf(path[path.length - 1] ?? '');
  // Of a password its length and its age are numbers, too.
  if (last.some((word) => MEASURES.has(word))) return false;
  return path.some((name) => {
    const words = wordsOf(name);
    return words.some((word) => SECRETS.has(word)) || PAIRS.test(words.join(' '));
  });
}

/** `rootPassword`, `root_password`, `root-password`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase());
}

const SECRETS: ReadonlySet<string> = new Set(
  (
    'apikey credential credentials otp pass passcode passphrase passwd password passwords pin pincode psk pwd secret ' +
    'secrets token tokens totp'
  ).split(' '),
);
const PAIRS = /\b(?:access|activation|auth|login|pin|recovery|security|verification) code\b|\w key\b/;
const MEASURES: ReadonlySet<string> = new Set(
  (
    'age bytes count days depth duration expiration expiry generation hours interval length limit lifetime limits max min ' +
    'minutes number observed period port ports refresh replicas retries rotation seconds size timeout times ttl version'
  ).split(' '),
);
