// Finds the name that a mistyped one was meant to be: the name with the smallest edit distance (optimal string alignment: insert,
// delete, replace, swap of neighbours) if that is small for its length, else a name that contains it.

/** @returns the nearest name, the first among equals; null if none is near. */
export function nearestName(name: string, names: Iterable<string>): string | null {
  const wanted = name.toLowerCase();
  let nearest: string | null = null;
  let least = 1 + Math.max(1, Math.floor(wanted.length / LETTERS_FOR_EACH_EDIT));
  for (const one of names) {
    if (Math.abs(one.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, one.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    nearest = one;
  }
  return nearest ?? longerName(wanted, names);
}

/** Finds `kube-apiserver` for `apiserver`. */
function longerName(part: string, names: Iterable<string>): string | null {
  if (part === '') return null;
  for (const name of names) if (`-${name}-`.toLowerCase().includes(`-${part}-`)) return name;
  return null;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}

/** A third of the letters may be wrong; with more it is another name. */
const LETTERS_FOR_EACH_EDIT = 3;
