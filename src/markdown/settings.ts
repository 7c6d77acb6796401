// Parses the settings in a page's comment: `key`, `key=value`, `key='a value'`.

export interface Setting {
  readonly key: Key;
  /** null for a bare word. */
  readonly value: string | null;
  /** Line of the page, from 1. */
  readonly line: number;
}

/**
 * @param comment lines from `<!-- kubeseq` to `-->`. @param line number of the first one in the page.
 * @throws PageError for an unknown key, a superfluous or missing value, a repeated key.
 */
export function settingsOf(comment: readonly string[], line: number): Setting[] {
  const settings: Setting[] = [];
  comment.forEach((text, i) => {
    const words = text.replace(/^<!-- kubeseq/, '').replace(/-->\s*$/, '');
    for (const setting of lineSettings(words, line + i)) {
      const kind = KEYS[setting.key];
      const isRepeated = settings.some(
        (one) => one.key === setting.key && (one.value === null) === (setting.value === null),
      );
      if (kind !== 'files' && isRepeated) throw new PageError(line + i, `${setting.key} is there twice`);
      settings.push(setting);
    }
  });
  if (!settings.some(({ key }) => key === 'capture')) throw new PageError(line, 'no capture; expected capture=FILE');
  return settings;
}

function lineSettings(text: string, line: number): Setting[] {
  const settings: Setting[] = [];
  let at = 0;
  for (;;) {
    SETTING.lastIndex = at;
    const match = SETTING.exec(text);
    if (match === null) break;
    at = SETTING.lastIndex;
    const [, key, quoted, single, bare] = match;
    const value = quoted ?? single ?? bare ?? null;
    settings.push({ key: checkedKey(key, value, line), value, line });
  }
  const rest = text.slice(at).trim();
  if (rest !== '') throw new PageError(line, `cannot read ${rest}; expected key=value, quoted where it has blanks`);
  return settings;
}

function checkedKey(key: string, value: string | null, line: number): Key {
  if (!Object.hasOwn(KEYS, key)) {
    throw new PageError(line, `unknown key ${key}; expected one of ${Object.keys(KEYS).join(', ')}`);
  }
  const kind = KEYS[key as Key];
  if (kind === 'word' && value !== null) throw new PageError(line, `${key} takes no value`);
  if ((kind === 'text' || kind === 'files') && (value === null || value === ''))
    throw new PageError(line, `${key} needs a value: ${key}=…`);
  return key as Key;
}

/** `files` may occur several times; `either` is a word that may also have a value. */
const KEYS = {
  capture: 'files',
  keylog: 'files',
  follow: 'text',
  namespace: 'text',
  'all-namespaces': 'word',
  layers: 'text',
  all: 'word',
  by: 'text',
  frames: 'word',
  from: 'text',
  to: 'text',
  since: 'text',
  until: 'text',
  where: 'text',
  steps: 'either',
  bodies: 'text',
  participants: 'either',
  provenance: 'word',
} as const;

export type Key = keyof typeof KEYS;

const SETTING = /\s*([A-Za-z][\w-]*)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'][^\s]*)?))?(?=\s|$)/y;

/** An error that the page's author has to correct. */
export class PageError extends Error {
  /** Of the page, from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
