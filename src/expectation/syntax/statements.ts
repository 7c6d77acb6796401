// Cuts the text of a mermaid diagram into statements, as mermaid's lexer does: a line break or `;` ends one, `#` and `%%`
// begin a comment, directives and front matter are no statements. Knows where each stands, not what it says.

export interface Statement {
  /** 1-based, within the text. */
  readonly line: number;
  /** Trimmed; entities as they stand. */
  readonly text: string;
  /** Where `text` begins, in characters. */
  readonly start: number;
  /** `%% …`: the text behind the signs. */
  readonly isComment: boolean;
}

export function statementsOf(source: string): Statement[] {
  const text = withoutDirectives(source);
  const statements: Statement[] = [];
  let start = 0;
  let line = 1;
  for (const row of text.split('\n')) {
    addRow(row.endsWith('\r') ? row.slice(0, -1) : row, start, line, statements);
    start += row.length + 1;
    line += 1;
  }
  return statements;
}

function addRow(row: string, start: number, line: number, statements: Statement[]): void {
  const comment = /^\s*%%(.*)$/.exec(row);
  if (comment !== null) {
    statements.push({ line, text: comment[1].trim(), start: start + row.indexOf('%%'), isComment: true });
    return;
  }
  let from = 0;
  const add = (end: number): void => {
    const piece = row.slice(from, end);
    const text = piece.trim();
    if (text === '') return;
    const begin = start + from + piece.length - piece.trimStart().length;
    statements.push({ line, text, start: begin, isComment: false });
  };
  for (const { 0: sign, index } of row.matchAll(/#\w+;|[;#]/g)) {
    if (sign.length > 1) continue;
    add(index);
    from = index + 1;
    // What follows `#` is a comment up to the end of the line.
    if (sign === '#') return;
  }
  add(row.length);
}

/** What stands around a diagram becomes blanks, so that every place keeps its number. */
function withoutDirectives(source: string): string {
  const blank = (found: string): string => found.replace(/[^\n]/g, ' ');
  return source
    .replace(/^\s*---\n[\s\S]*?\n---(?=\n|$)/, blank)
    .replace(/%%\{[\s\S]*?\}%%/g, blank)
    .replace(/^\s*accDescr\s*\{[^}]*\}/gim, blank);
}
