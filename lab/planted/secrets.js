// Makes the secrets of the planted corpus: each by its family and carrier alone, so that the order of the others is of no account.

/** Every secret that was made: what is written to `secrets.json`. */
export const PLANTED = [];

/**
 * Makes a secret.
 *
 * @param carrier where it is planted, in words; unique in its family.
 * @param form one of FORMS; by default they take turns by the carrier's hash.
 */
export function secret(family, carrier, form) {
  if (PLANTED.some((one) => one.family === family && one.carrier === carrier))
    throw new Error(`${family}: ${carrier} is there already`);
  const seed = hash(`${family}/${carrier}`);
  const names = Object.keys(FORMS).filter((name) => !EXPLICIT.has(name));
  const chosen = form ?? names[seed % names.length];
  const text = FORMS[chosen](numbers(seed));
  PLANTED.push({ family, carrier, form: chosen, text });
  return text;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALNUM = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const BASE64 = `${ALNUM}+/`;
const URL_SAFE = `${ALNUM}-_`;
const SYLLABLES = 'bra ket vol mun zif pra qui tog lan der wex ulo nim gar pex tho yil sku dre fon hab jor'.split(' ');

/** How secrets look. Those in EXPLICIT hold characters or have a length that not every carrier takes. */
export const FORMS = {
  password: (random) => `${word(random)}${word(random, true)}${digits(random, 4)}`,
  short: (random) => `${run(random, LOWER, 1)}${run(random, ALNUM, 7)}${digits(random, 2)}`,
  hex: (random) => run(random, '0123456789abcdef', 32),
  uuid: (random) => [8, 4, 4, 4, 12].map((length) => run(random, '0123456789abcdef', length)).join('-'),
  token: (random) => run(random, URL_SAFE, 36).replace(/^[-_]|[-_]$/g, 'k'),
  number: (random) => `4${digits(random, 15)}`,
  aws: (random) => `AKIA${run(random, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
  jwt: (random) => `eyJhbGciOiJIUzI1NiJ9.${run(random, URL_SAFE, 24)}.${run(random, URL_SAFE, 27)}`,
  base64: (random) => `${run(random, BASE64, 42)}A=`,
  awsSecret: (random) => run(random, BASE64, 40),
  special: (random) => `${word(random, true)}#${digits(random, 3)}&${word(random)}!`,
  phrase: (random) => `${word(random)} ${word(random)} ${word(random)} ${word(random)}`,
  pem: (random) => run(random, BASE64, 64),
  letters: (random) => run(random, `${LOWER}${LOWER.toUpperCase()}`, 20),
  words: (random) => [0, 0, 0].map(() => word(random)).join('-'),
  reserved: (random) =>
    [...'/+?#'].reduce((text, sign) => `${text}${sign}${run(random, ALNUM, 9)}`, run(random, ALNUM, 9)),
  pin: (random) => `4${digits(random, 8)}`,
  bootstrap: (random) => `${run(random, `${LOWER}0123456789`, 6)}.${run(random, `${LOWER}0123456789`, 16)}`,
};
const EXPLICIT = new Set('base64 awsSecret special phrase pem bootstrap letters words reserved pin'.split(' '));

/** A PEM file around a line of its body. */
export function pemOf(line, type = 'RSA PRIVATE KEY') {
  return `-----BEGIN ${type}-----\n${line}\n-----END ${type}-----\n`;
}

export const base64 = (text) => Buffer.from(text).toString('base64');

function word(random, capital = false) {
  const text = [0, 0, 0].map(() => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join('');
  return capital ? text[0].toUpperCase() + text.slice(1) : text;
}

function digits(random, length) {
  return run(random, '0123456789', length);
}

function run(random, alphabet, length) {
  let text = '';
  for (let i = 0; i < length; i++) text += alphabet[Math.floor(random() * alphabet.length)];
  return text;
}

/** FNV-1a, 32 bits. */
function hash(text) {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
