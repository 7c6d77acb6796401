// Says to readers what the status of an object reports to be wrong.

/** `container web`, `terminated`, `OOMKilled`, 137; `condition Ready`, `Unknown`, `NodeStatusUnknown`. */
interface ReportedProblem {
  readonly of: string;
  readonly state: string;
  readonly reason: string;
  readonly exitCode?: number;
}

/** `container web: terminated (OOMKilled, exit code 137)`, `condition Ready=Unknown (NodeStatusUnknown)`, `attach failed: no such disk`. */
export function problemWords({ of, state, reason, exitCode }: ReportedProblem): string {
  const why = [reason, exitCode === undefined ? '' : `exit code ${exitCode}`].filter((word) => word !== '');
  const between = of.startsWith('condition ') ? '=' : of.includes('container ') ? ': ' : null;
  const head = `${of}${between ?? ' '}${state}`;
  if (why.length === 0) return head;
  return between === null ? `${head}: ${why.join(', ')}` : `${head} (${why.join(', ')})`;
}
