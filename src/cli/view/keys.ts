// Names the keys that `view` reads, and lists what each does.

/** One key. */
export interface PressedKey {
  /** `down`, `enter`, `ctrl-c`; of a character the character itself. */
  readonly name: string;
  /** What it types; empty: nothing. */
  readonly text: string;
}

/** For the help page: keys and what they do. */
export const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['↓ ↑, j k', 'next and previous line'],
  ['PgDn PgUp, Space b', 'next and previous screen'],
  ['Home End, g G', 'first and last line'],
  ['Enter', 'details: why the message has its participants, object and cause; its head and body'],
  ['/, n N', 'search; next and previous match'],
  ['f', "filter: words, or an expression as of --where, e.g. verb == 'create' && resource == 'pods'"],
  ['o', 'only the story of the object that the message is about'],
  ['c', 'to the message that caused this one'],
  ['e', 'to the message that it caused, or a list of them'],
  ['Backspace', 'back to where c, e or o was pressed'],
  ['x, X', 'fold the messages of one exchange into one line; of all exchanges'],
  ['a', 'also the messages that diagrams fold away; or only what they draw'],
  ['l', 'labels: methods and paths, or a few words'],
  ['d', 'diagram of the messages in the list'],
  ['!', 'what could not be read'],
  ['Esc', 'close the page; remove the last filter'],
  ['q', 'close the page; leave'],
];
