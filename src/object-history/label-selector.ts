// Parses label selectors as kubectl's `-l` has them, and matches labels (k8s.io/apimachinery, pkg/labels/selector.go).

export type LabelTest = (labels: ReadonlyMap<string, string>) => boolean;

/** @returns null where the text is no selector. */
export function parseLabelSelector(text: string): LabelTest | null {
  // A comma within parentheses separates values.
  const parts = text.split(/,(?![^(]*\))/).map((part) => requirementOf(part.trim()));
  const requirements = parts.filter((part) => part !== null);
  if (requirements.length < parts.length) return null;
  return (labels) => requirements.every((matches) => matches(labels));
}

function requirementOf(text: string): LabelTest | null {
  const [, not, existing] = /^(!?)\s*([\w./-]+)$/.exec(text) ?? [];
  if (existing !== undefined) return (labels) => labels.has(existing) === (not === '');
  const [, key, operator, value] = /^([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)$/.exec(text) ?? [];
  // A label that is not there differs from every value.
  if (key !== undefined) return (labels) => (labels.get(key) === value) === (operator !== '!=');
  const [, name, how, list] = /^([\w./-]+)\s+(in|notin)\s*\(([\w.,\s-]*)\)$/.exec(text) ?? [];
  if (name === undefined) return null;
  const values = new Set(list.split(',').map((one) => one.trim()));
  return (labels) => {
    const label = labels.get(name);
    return (label !== undefined && values.has(label)) === (how === 'in');
  };
}
