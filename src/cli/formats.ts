// Names the output formats of every command, in one table: help, completion, refusals and the endings of -w are made from it.

import type { DiffPaint, ReportSection, SequencePicture, Summary, TopReport } from '../index.js';
import { CliError } from './cli-error.js';
import type { HostFacts } from './doctor/doctor-facts.js';
import type { KeyTarget } from './keys/key-targets.js';
import type {
  CapturedItems,
  CheckedCapture,
  ComparedCaptures,
  DrawnDiagram,
  ExplainedMessages,
  HistoryOfObject,
  MeasuredPaths,
  Pieces,
  Presentation,
} from './output/results.js';

/** What renders: it is loaded with the commands, so that help needs none of it. */
export type Renderers = typeof import('./renderers.js');

export interface Format<Result> {
  /** Names of files that -w writes in this format. */
  readonly endings?: readonly string[];
  /** What it is, where a terminal cannot show it: `a PNG`. */
  readonly binary?: string;
  /** For the eye: parts may be left out, and words chosen. */
  readonly isPicture?: true;
  /** Heads and bodies of messages are needed. */
  readonly hasBodies?: true;
  readonly render: (by: Renderers, result: Result, shown: Presentation) => Pieces | Promise<Pieces>;
}

export type Formats<Result> = Readonly<Record<string, Format<Result>>>;

/** Endings of formats that several commands have. */
const LINES = ['.ndjson', '.jsonl'];
const OTLP = ['.otlp.json', '.otlp.jsonl'];
const PERFETTO = ['.perfetto.json'];

/** Formats that a browser, or another program, makes a picture of. */
function pictures<Result>(
  pictureOf: (by: Renderers, result: Result, shown: Presentation) => SequencePicture,
): Record<'mermaid' | 'plantuml' | 'svg' | 'png', Format<Result>> {
  const image = (kind: 'svg' | 'png'): Format<Result>['render'] => {
    return (by, result, shown) => by.drawImage(by.renderMermaid(pictureOf(by, result, shown)), kind, shown);
  };
  return {
    mermaid: {
      ...{ endings: ['.mmd', '.mermaid'], isPicture: true },
      render: (by, result, shown) => by.renderMermaid(pictureOf(by, result, shown)),
    },
    plantuml: {
      ...{ endings: ['.puml', '.plantuml'], isPicture: true },
      render: (by, result, shown) => by.renderPlantuml(pictureOf(by, result, shown)),
    },
    svg: { endings: ['.svg'], isPicture: true, render: image('svg') },
    png: { endings: ['.png'], isPicture: true, binary: 'a PNG', render: image('png') },
  };
}

const DRAWN = pictures<DrawnDiagram>((_, { sequence }) => sequence);
const DIAGRAM: Formats<DrawnDiagram> = {
  mermaid: {
    ...DRAWN.mermaid,
    render: (by, { sequence, frames, remark }) =>
      by.warnOfLength(by.renderMermaid(sequence, { seqs: true, frames }), remark),
  },
  markdown: {
    ...{ endings: ['.md'], isPicture: true },
    render: (by, { sequence, frames }) => by.renderMarkdown(sequence, { seqs: true, frames }),
  },
  plantuml: DRAWN.plantuml,
  svg: DRAWN.svg,
  png: DRAWN.png,
  text: {
    ...{ endings: ['.txt'], isPicture: true },
    render: (by, { sequence, wide, hint }, { first, width, paint }) =>
      `${by.renderText(sequence, { first, width: wide === true ? undefined : width, paint })}${hint}`,
  },
  html: {
    ...{ endings: ['.html', '.htm'], hasBodies: true },
    render: (by, { observation, drawing, names, remark }, shown) =>
      by.pageOf(by.explorerData(observation, drawing), by.pageOverview(observation), names, shown, remark),
  },
  json: { endings: ['.json'], render: (by, { sequence }, shown) => by.renderSequenceJson(sequence, shown) },
  otlp: {
    endings: OTLP,
    render: (by, drawn, shown) => by.diagramTrace(new by.OtlpWriter(by.traceOptions(drawn, shown)), drawn),
  },
  perfetto: {
    endings: PERFETTO,
    render: (by, drawn, shown) => by.diagramTrace(new by.PerfettoWriter(by.traceOptions(drawn, shown)), drawn),
  },
};

const PARQUET: Format<CapturedItems> = {
  ...{ endings: ['.parquet'], binary: 'a table' },
  render: async (by, items, shown) => by.savedPieces(await by.tableWriter(by.savedAs(items, shown)), items, shown),
};

const MESSAGES: Formats<CapturedItems> = {
  ndjson: {
    endings: LINES,
    render: (by, { batches, bodies }, shown) =>
      by.rowPieces(
        batches,
        bodies ? by.textRows('', (one) => `${by.messageLineWithBody(one, shown)}\n`) : by.jsonRows(shown),
      ),
  },
  table: {
    endings: ['.txt'],
    render: (by, { batches }, shown) =>
      by.rowPieces(
        batches,
        by.textRows(by.tableHead(shown.paint), (one) => by.tableRow(one, shown.firstTime ?? one.time, shown.paint)),
      ),
  },
  csv: {
    endings: ['.csv'],
    render: (by, { batches }, shown) =>
      by.rowPieces(
        batches,
        by.textRows(by.renderCsvHead(), (one) => by.renderCsvRow(one, shown)),
      ),
  },
  parquet: PARQUET,
  otlp: {
    endings: OTLP,
    render: (by, items, shown) =>
      by.rowPieces(
        items.batches,
        by.traceRows(() => new by.OtlpWriter(by.traceOptions(items, shown))),
      ),
  },
  perfetto: {
    endings: PERFETTO,
    render: (by, items, shown) =>
      by.rowPieces(
        items.batches,
        by.traceRows(() => new by.PerfettoWriter(by.traceOptions(items, shown))),
      ),
  },
};

const EXPORT: Formats<CapturedItems> = {
  ndjson: {
    endings: LINES,
    render: (by, items, shown) => by.savedPieces(new by.SavedWriter(by.savedAs(items, shown)), items, shown),
  },
  parquet: PARQUET,
  pcapng: { endings: ['.pcapng'], binary: 'a capture', render: (_, { copy = '' }) => copy },
};

const QUERY: Formats<readonly Readonly<Record<string, unknown>>[]> = {
  table: { endings: ['.txt'], render: (by, rows) => by.reportText(by.rowReport(rows), 0) },
  csv: {
    endings: ['.csv'],
    render: (by, rows) =>
      rows
        .flatMap((row, i) => (i > 0 ? [row] : [Object.keys(row), row]))
        .map((row) => by.csvLine(Object.values(row)))
        .join(''),
  },
  markdown: { endings: ['.md'], render: (by, rows) => by.reportMarkdown(by.rowReport(rows)) },
  ndjson: { endings: LINES, render: (by, rows) => rows.map((row) => `${by.jsonText(row)}\n`).join('') },
};

const SUMMARY: Formats<{ readonly summary: Summary; readonly limit: number | undefined }> = {
  text: { endings: ['.txt'], render: (by, { summary, limit }) => by.summaryText(summary, limit) },
  markdown: { endings: ['.md'], render: (by, { summary, limit }) => by.summaryMarkdown(summary, limit) },
  json: { endings: ['.json'], render: (by, { summary }) => `${by.jsonText(summary, 2)}\n` },
};

const TOP: Formats<TopReport> = {
  text: { endings: ['.txt'], render: (by, report, { width }) => by.renderTopText(report, width) },
  markdown: { endings: ['.md'], render: (by, report) => by.renderTopMarkdown(report) },
  json: { endings: ['.json'], render: (by, report, { digits }) => by.renderTopJson(report, digits(0)) },
};

const OBJECT: Formats<HistoryOfObject> = {
  text: {
    endings: ['.txt'],
    render: (by, { life, all }, shown) => by.renderObjectText(life, { ...shown, all }, shown.paint),
  },
  markdown: {
    endings: ['.md'],
    render: (by, { life, all }, shown) => by.renderObjectMarkdown(life, { ...shown, all }),
  },
  ...pictures<HistoryOfObject>((by, { life, all }, shown) => by.objectPicture(life, { ...shown, all })),
  json: { endings: ['.json'], render: (by, { life, all }, shown) => by.renderObjectJson(life, { ...shown, all }) },
};

function pathReport(by: Renderers, { paths, statistics }: MeasuredPaths, first: bigint): ReportSection[] {
  return statistics === undefined ? by.pathReport(paths, first) : by.statisticsReport(statistics, first);
}

const PATH: Formats<MeasuredPaths> = {
  text: {
    endings: ['.txt'],
    render: (by, measured, { first }) => by.reportText(pathReport(by, measured, first), 0),
  },
  markdown: {
    endings: ['.md'],
    render: (by, measured, { first }) => by.reportMarkdown(pathReport(by, measured, first)),
  },
  json: {
    endings: ['.json'],
    render: (by, { paths, statistics }, { digits }) =>
      statistics === undefined ? by.renderPathJson(paths, digits) : by.renderStatisticsJson(statistics, digits),
  },
};

const CHECK: Formats<CheckedCapture> = {
  text: { endings: ['.txt'], render: (by, { report }, { paint }) => by.renderCheckText(report, paint) },
  markdown: { endings: ['.md'], render: (by, { report, patches }) => by.renderCheckSummary(report, patches) },
  json: { endings: ['.json'], render: (by, { report }) => by.renderCheckJson(report) },
  junit: { endings: ['.xml'], render: (by, { report }) => by.renderCheckJunit(report) },
  github: { render: (by, { report }) => by.renderCheckGithub(report) },
};

/** Those of `check --report`, which their endings choose. */
export const REPORTS: Formats<CheckedCapture> = {
  json: CHECK['json'],
  junit: CHECK['junit'],
  text: CHECK['text'],
  markdown: CHECK['markdown'],
};

function diffText(
  by: Renderers,
  { difference, sides: [a, b], isStat, all }: ComparedCaptures,
  paint?: DiffPaint,
): string {
  return isStat ? by.renderDiffStat(difference, a, b, all) : by.renderDiffText(difference, [a.name, b.name], paint);
}

const DIFF: Formats<ComparedCaptures> = {
  text: {
    endings: ['.txt', '.diff', '.patch'],
    render: (by, compared, { diffPaint }) => diffText(by, compared, diffPaint),
  },
  markdown: {
    endings: ['.md'],
    render: (by, compared) => {
      const text = diffText(by, compared);
      return text === '' ? '' : by.fenced(compared.isStat ? 'text' : 'diff', text.trimEnd().split('\n'));
    },
  },
  ...pictures<ComparedCaptures>((by, { difference, sides }) => by.diffPicture(difference, ...sides)),
  json: {
    endings: ['.json'],
    render: (by, { difference, sides: [a, b] }) => by.renderDiffJson(difference, [a.name, b.name]),
  },
};

const EXPLAIN: Formats<ExplainedMessages> = {
  text: { render: (by, explained, shown) => by.explanationText(explained, shown) },
};

const KEYS: Formats<readonly KeyTarget[]> = {
  text: { endings: ['.txt'], render: (by, targets) => by.probesText(targets) },
  json: { endings: ['.json'], render: (by, targets) => by.probesJson(targets) },
  bpftrace: { endings: ['.bt'], render: (by, targets) => by.probesProgram(targets) },
};

const DOCTOR: Formats<HostFacts> = {
  text: { render: (by, facts) => by.doctorText(facts) },
  json: { render: (by, facts) => by.doctorJson(facts) },
};

/** By command: what it prints where neither -o nor -w says otherwise is the first one, unless the command does. */
export const FORMATS = {
  diagram: DIAGRAM,
  messages: MESSAGES,
  summary: SUMMARY,
  top: TOP,
  check: CHECK,
  object: OBJECT,
  path: PATH,
  keys: KEYS,
  record: DIAGRAM,
  doctor: DOCTOR,
  diff: DIFF,
  explain: EXPLAIN,
  export: EXPORT,
  query: QUERY,
} as const;

/** `mermaid, text, json`, with another word before the last one: `text or json`. */
export function namesOf(formats: Formats<never>, last = ', '): string {
  const names = Object.keys(formats);
  return [...names.slice(0, -2), names.slice(-2).join(last)].join(', ');
}

/**
 * Chooses a format: by `-o`, else by the ending of what `-w` names, else the usual one.
 *
 * @returns its name. Throws CliError for one that the command does not have.
 */
export function formatOf(
  { output, write }: { readonly output?: string; readonly write?: string },
  formats: Formats<never>,
  usual = Object.keys(formats)[0],
): string {
  if (output === undefined) return (write === undefined ? undefined : formatByEnding(write, formats)) ?? usual;
  if (Object.hasOwn(formats, output)) return output;
  throw new CliError(`-o ${output}: expected one of ${Object.keys(formats).join(', ')}`);
}

/** undefined: no format has its ending. Of two that fit the longer one counts: `.otlp.json`. */
export function formatByEnding(file: string, formats: Formats<never>): string | undefined {
  const found = Object.entries(formats)
    .flatMap(([name, { endings = [] }]) => endings.map((ending) => ({ name, ending })))
    .filter(({ ending }) => file.toLowerCase().endsWith(ending));
  return found.sort((a, b) => b.ending.length - a.ending.length)[0]?.name;
}
