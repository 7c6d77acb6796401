// Holds a file against Chrome's Trace Event Format: "Trace Event Format" (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU)
// and what Perfetto's importer asks for (perfetto.dev/docs/faq, "Why are overlapping events in JSON traces not displayed correctly?").

export interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly id?: number;
  readonly bp?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What is wrong with a trace; empty: nothing. */
export function traceViolations(trace: { readonly traceEvents: readonly TraceEvent[] }): string[] {
  const out: string[] = [];
  const slices = new Map<string, TraceEvent[]>();
  const flows = new Map<number, TraceEvent[]>();
  for (const event of trace.traceEvents) {
    const { ph, name, pid, tid, ts, dur, id } = event;
    const place = JSON.stringify(event).slice(0, 200);
    // Every event has a name, a process and a thread; Perfetto takes pid 0 for the idle process.
    if (typeof name !== 'string' || name === '' || !(pid > 0) || !(tid >= 0)) out.push(`incomplete: ${place}`);
    if (ph === 'M') {
      if (event.args === undefined) out.push(`metadata without arguments: ${place}`);
      continue;
    }
    if (!Number.isFinite(ts) || ts < 0) out.push(`no time: ${place}`);
    if (ph === 'X') {
      if (!(dur > 0)) out.push(`no duration: ${place}`);
      const key = `${pid} ${tid}`;
      const of = slices.get(key);
      if (of === undefined) slices.set(key, [event]);
      else of.push(event);
    } else if (ph === 's' || ph === 'f') {
      if (id === undefined || event.cat === undefined) out.push(`a flow without id or category: ${place}`);
      if (ph === 'f' && event.bp !== 'e') out.push(`a flow's end that binds to the next slice: ${place}`);
      flows.set(id ?? -1, [...(flows.get(id ?? -1) ?? []), event]);
    } else out.push(`unknown phase: ${place}`);
  }
  for (const [key, of] of slices) out.push(...overlapsOf(of).map((what) => `${key}: ${what}`));
  for (const [id, ends] of flows) {
    const [start, end] = ends;
    if (ends.length !== 2 || start.ph !== 's' || end.ph !== 'f') out.push(`flow ${id} is not one start and one end`);
    else if (start.name !== end.name || start.cat !== end.cat) out.push(`flow ${id} has two names`);
    else if (start.ts > end.ts) out.push(`flow ${id} ends before it starts`);
    // A flow binds to the slice of its thread that encloses its time.
    for (const { pid, tid, ts } of ends)
      if (
        !(slices.get(`${pid} ${tid}`) ?? []).some((one) => one.ts <= ts + ROUNDING && ts <= one.ts + one.dur + ROUNDING)
      )
        out.push(`flow ${id} is bound to no slice`);
  }
  return out;
}

/** Slices of one thread lie beside or within each other. */
function overlapsOf(slices: readonly TraceEvent[]): string[] {
  const out: string[] = [];
  const open: number[] = [];
  for (const { ts, dur, name } of [...slices].sort((a, b) => a.ts - b.ts || b.dur - a.dur)) {
    while (open.length > 0 && open[open.length - 1] <= ts + ROUNDING) open.pop();
    const end = ts + dur;
    if (open.length > 0 && end > open[open.length - 1] + ROUNDING)
      out.push(`${name} at ${ts} ends after what it lies in`);
    open.push(end);
  }
  return out;
}

/** µs: half a nanosecond, as the sum of two fractions is rounded. */
const ROUNDING = 0.0005;
