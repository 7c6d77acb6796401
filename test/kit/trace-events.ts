// Holds a file against Chrome's Trace Event Format: "Trace Event Format" (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU)
// and what Perfetto's importer asks for (src/trace_processor/importers/json/json_trace_parser.cc, common/track_compressor.cc).

export interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** Slices of one process with one id are one tree, on the track that its first slice names. */
  readonly id2?: { readonly local: string };
  readonly bind_id?: string;
  readonly flow_out?: boolean;
  readonly flow_in?: boolean;
  readonly args?: Readonly<Record<string, unknown>>;
}

interface Trace {
  readonly traceEvents: readonly TraceEvent[];
}

/** What is wrong with a trace; empty: nothing. */
export function traceViolations(trace: Trace): string[] {
  const out: string[] = [];
  const open = new Map<string, TraceEvent[]>();
  const last = new Map<string, number>();
  const flows = new Map<string, TraceEvent>();
  for (const event of trace.traceEvents) {
    const { ph, name, cat, pid, tid, ts } = event;
    const place = JSON.stringify(event).slice(0, 200);
    // Every event has a name, a process and a thread; Perfetto takes pid 0 for the idle process.
    if (typeof name !== 'string' || name === '' || !(pid > 0) || !(tid >= 0)) out.push(`incomplete: ${place}`);
    if (ph === 'M') {
      if (event.args === undefined) out.push(`metadata without arguments: ${place}`);
      continue;
    }
    if (!Number.isFinite(ts) || ts < 0) out.push(`no time: ${place}`);
    if (event.id2?.local === undefined || cat === undefined) out.push(`no id or no category: ${place}`);
    const tree = treeOf(event);
    if (ts < (last.get(tree) ?? 0)) out.push(`back in time: ${place}`);
    last.set(tree, ts);
    const stack = open.get(tree) ?? [];
    open.set(tree, stack);
    if (ph === 'b') stack.push(event);
    else if (ph === 'e') {
      const begin = stack.pop();
      if (begin?.name !== name || begin.cat !== cat) out.push(`ends what is not the last that began: ${place}`);
      else if (begin.ts >= ts) out.push(`no duration: ${place}`);
    } else if (ph !== 'n') out.push(`unknown phase: ${place}`);
    else if (stack.length === 0) out.push(`a mark outside of slices: ${place}`);
    out.push(...flowViolations(event, flows).map((what) => `${what}: ${place}`));
  }
  for (const stack of open.values()) out.push(...stack.map(({ name }) => `never ends: ${name}`));
  return out;
}

/** A flow leads from the slice with this id on; a track's events are read in the order of time. */
function flowViolations(event: TraceEvent, flows: Map<string, TraceEvent>): string[] {
  const { bind_id, flow_out, flow_in, ph, ts } = event;
  if (bind_id === undefined) return flow_out || flow_in ? ['a flow without id'] : [];
  if ((flow_out === true) === (flow_in === true)) return ['a flow without one direction'];
  const from = flows.get(bind_id);
  if (flow_in) return from === undefined || from.ts > ts ? ['a flow from nowhere, or back in time'] : [];
  flows.set(bind_id, event);
  return from !== undefined || ph !== 'b' ? ['a flow that begins twice'] : [];
}

/** Names of the tracks that Perfetto shows, with the number of their process. */
export function tracksOf({ traceEvents }: Trace): ReadonlySet<string> {
  const names = new Map<string, string>();
  for (const event of traceEvents)
    if (event.ph !== 'M' && !names.has(treeOf(event))) names.set(treeOf(event), `${event.pid} ${event.name}`);
  return new Set(names.values());
}

function treeOf({ pid, id2 }: TraceEvent): string {
  return `${pid} ${id2?.local}`;
}
