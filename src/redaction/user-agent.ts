// Redacts user agents to products with their versions and platforms (RFC 9110, section 10.1.5); programs put other texts into them, too,
// which are not shown.

import { listOf } from './lists.js';
import { shapesOf } from './shapes.js';
import { ELLIPSIS, type Shown, shown } from './shown.js';
import { redactText } from './text.js';
import { isPlainWord } from './words/plain-word.js';

/** @param value as sent. @returns it with `…` for each word that is neither product, version nor platform. */
export function redactUserAgent(value: string): Shown {
  if (value.length > USER_AGENT_LENGTH) return shown(ELLIPSIS);
  const words = value.replace(WORD, (word: string, at: number) => {
    if (word.includes('/')) return productOf(word);
    // A program may send its name alone: `Wget`, `systemd-resolved`.
    return PLATFORMS.has(word) || isVersion(word) || (at === 0 && isName(word)) ? word : ELLIPSIS;
  });
  return shown(redactText(words));
}

/** `kube-controller-manager/v1.34.4`, `kubernetes/f8e6d2c/leader-election`, `linux/amd64`, `deploy@server-1/v1.34.4+k3s1`. */
function productOf(word: string): string {
  const [product, version, ...more] = word.split('/');
  const [name, ...hosts] = product.split('@');
  if (!isName(name)) return ELLIPSIS;
  const parts = [
    [name, ...hosts.map((host) => (isPlainWord(host) ? host : ELLIPSIS))].join('@'),
    version === '' || isVersionOf(name, version) ? version : ELLIPSIS,
    ...more.map((part) => (isVersion(part) || part.split(SEPARATORS).every(isPlainWord) ? part : ELLIPSIS)),
  ];
  return parts.join('/');
}

function isVersionOf(product: string, version: string): boolean {
  if (isVersion(version) || MAJOR.test(version) || PLATFORMS.has(version)) return true;
  // Traefik names its providers in this form: `kubernetes/ingress`.
  // Of seven digits of a commit none may be a letter.
  if (PROGRAMS_BY_COMMIT.test(product) && /^\d{7}$/.test(version)) return true;
  return product === 'kubernetes' && LETTERS.test(version) && isPlainWord(version);
}

/** The name of a program: words, possibly with a number after them. */
function isName(text: string): boolean {
  return PRODUCT.test(text) && text.split(SEPARATORS).every((part) => isPlainWord(part.replace(NUMBERED, '$1')));
}

function isVersion(text: string): boolean {
  return VERSION.test(text) || COMMIT.test(text);
}

/** A word between blanks, brackets and punctuation. */
const WORD = /[^\s();,"\\]+/g;
const PRODUCT = /^[A-Za-z_][A-Za-z0-9._:@$&-]{0,100}$/;
const SEPARATORS = /[:@$&]/;
/** `rancher2`, `log4net3`. */
const NUMBERED = /\b([A-Za-z]{4,24})\d{1,3}\b/g;
/** `v1.34.4-rc.1+k3s1`, `537.36`, `0.0.0-20250102150405-f3f2b991d03b`, `go1.24.6`. */
const VERSION = shapesOf('user agents').version.pattern;
/** A version of one part, only after a product; alone, digits may mean anything. */
const MAJOR = /^v?\d{1,2}$/;
const LETTERS = /^[a-z]{2,20}$/;
const PROGRAMS_BY_COMMIT = /^(?:kubernetes|k3s|rke2)$/;
/** A commit, whole or short; `$Format` is an unfilled placeholder. */
const COMMIT = /^(?:(?=\d*[a-f])[0-9a-f]{7,12}|(?=\d*[a-f])[0-9a-f]{40}|\$Format)$/;
/** Platforms in the words of Go and of browsers, and words used as versions. */
const PLATFORMS = listOf('platforms');
/** Characters; browsers' have some 150. */
const USER_AGENT_LENGTH = 512;
