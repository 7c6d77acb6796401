// Splits a page's comment into its settings: `key`, `key=value`, `key='a value'`.

export interface Setting {
  readonly key: string;
  /** null for a bare word. */
  readonly value: string | null;
  /** Line of the page, from 1. */
  readonly line: number;
}

/**
 * @param comment lines from `<!-- kubeseq` to `-->`. @param line number of the first one in the page.
 * @throws PageError for a text that is no setting; which settings there are is known to whoever reads them.
 */
export function settingsOf(comment: readonly string[], line: number): Setting[] {
  return comment.flatMap((text, i) => lineSettings(text.replace(/^<!-- kubeseq/, '').replace(/-->\s*$/, ''), line + i));
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
    settings.push({ key, value: quoted ?? single ?? bare ?? null, line });
  }
  const rest = text.slice(at).trim();
  if (rest !== '') throw new PageError(line, `cannot read ${rest}; expected key=value, quoted where it has blanks`);
  return settings;
}

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
