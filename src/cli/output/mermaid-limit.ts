// Says where a mermaid text is longer than GitHub draws.

/** Warns only, because other renderers have other limits. @returns the mermaid text. */
export function warnOfLength(text: string, remark: (text: string) => void): string {
  if (text.length > MERMAID_LIMIT)
    remark(
      `the diagram has ${text.length} characters; GitHub's mermaid draws ${MERMAID_LIMIT}. -o markdown cuts it into parts`,
    );
  return text;
}

/** Limit: characters over which `-o mermaid` warns that GitHub draws no more: mermaid's `maxTextSize`, which GitHub does not change. */
const MERMAID_LIMIT = 50_000;
