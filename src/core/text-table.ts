// Reads tables that stand in text files, for people to review: sections with a heading each.

/** A section, and its lines in order, as they are indented. */
export interface TextSection {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** @param text lines: `## heading` begins a section, `//` a comment; empty lines separate nothing. @returns the sections, in order. */
export function textSections(text: string): readonly TextSection[] {
  const sections: { heading: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('//')) continue;
    if (line.startsWith('## ')) sections.push({ heading: line.slice(3), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}
