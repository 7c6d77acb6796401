// Measures and cuts text in cells of a terminal, of which wide characters take two.

/** @param text whose control and format characters are escaped. */
export function cellsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += widthOf(character);
  return cells;
}

/** The text if it has so many cells at most, else its beginning and its end around an ellipsis: names stand at the end of labels. */
export function cutToCells(text: string, most: number): string {
  if (cellsOf(text) <= most) return text;
  if (most < 2) return '…'.slice(0, Math.max(0, most));
  const characters = [...text];
  const behind = Math.floor((most - 1) / 3);
  const head = fitting(characters, most - 1 - behind);
  const tail = fitting(characters.reverse(), behind);
  return `${head.join('')}…${tail.reverse().join('')}`;
}

/** Lines of so many cells at most, cut between words where there are any. */
export function wrapToCells(text: string, most: number): readonly string[] {
  return wrapParts(text.split(' '), ' ', most);
}

/** Lines of parts that are cut only where one has no room in a line. @param separator between parts of a line. */
export function wrapParts(parts: readonly string[], separator: string, most: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : `${line}${separator}${part}`;
    if (line !== '' && cellsOf(longer) + cellsOf(separator.trimEnd()) > most) {
      lines.push(`${line}${separator}`.trimEnd());
      line = part;
    } else line = longer;
    while (cellsOf(line) > most) {
      const characters = fitting([...line], most);
      // No line may begin like a command (ci-commands.ts).
      if (line.startsWith('::', characters.join('').length)) characters.pop();
      const fit = characters.join('');
      if (fit === '') return [...lines, cutToCells(line, most)];
      lines.push(fit);
      line = line.slice(fit.length);
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** The first characters that have room in so many cells. */
function fitting(characters: readonly string[], cells: number): string[] {
  const fit: string[] = [];
  let used = 0;
  for (const character of characters) {
    used += widthOf(character);
    if (used > cells) break;
    fit.push(character);
  }
  return fit;
}

function widthOf(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

const NARROW = /^[ -~…]*$/;
const COMBINING = /[\p{Mn}\p{Me}]/u;
/** Unicode's East_Asian_Width W and F, by their blocks, and emoji (UAX #11). */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
