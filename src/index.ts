// Everything that the command line and the library use.

export { Anonymizer, captureName } from './anonymize/anonymizer.js';
export { isAuditLog } from './audit/audit-reader.js';
export { Annotator, NotAnnotatable } from './capture/annotate.js';
export { captureReader, isCapture, isGzip } from './capture/capture-reader.js';
export type { CaptureReport } from './capture/frame.js';
export { pcapngDrops, pcapngHead, pcapngPacket } from './capture/pcapng-writer.js';
export { keptBy } from './core/collections/bounded.js';
export { parseDuration } from './core/duration.js';
export { Forgotten } from './core/forgotten.js';
export { NOTICE_CODES, type Notice, type NoticeCode, notice } from './core/notice.js';
export { framesText } from './core/origin.js';
export { counted, sizeText } from './core/quantity.js';
export { isRecord } from './core/record.js';
export { TooManyCaptures } from './core/source-cursor.js';
export { readyBefore } from './critical-path/goals.js';
export type { CriticalPath, PathLeg, PathStep } from './critical-path/model.js';
export { criticalPaths, missingCauses, type PathRequest } from './critical-path/path.js';
export { indexPaths, type PathIndex } from './critical-path/path-index.js';
export { type PathStatistics, pathStatistics } from './critical-path/path-statistics.js';
export { buildSequence } from './diagram/build.js';
export { explain } from './diagram/explain.js';
export { type ExplorerData, type ExplorerEntry, explorerData } from './diagram/explorer-data.js';
export { nondeterministicExchanges } from './diagram/folding/nondeterminism.js';
export { foldAnswers } from './diagram/layout/folded-answers.js';
export type { PathMark } from './diagram/layout/path-marks.js';
export { shortLabels, shortWords } from './diagram/layout/short-labels.js';
export { forTalk } from './diagram/layout/talk.js';
export { indexMessages, messagesInFrame, nearestToFrame, type Observation } from './diagram/message-index.js';
export { arrowNumbered, arrowsOf, type Sequence, type SequencePicture } from './diagram/model.js';
export { missingFrom, missingParts, NOTHING_MISSING } from './diagram/notes/capture-gaps.js';
export { firstLook } from './diagram/overview/overview.js';
export { type PageOverview, pageOverview } from './diagram/overview/page-overview.js';
export type { Problem } from './diagram/problems.js';
export { messagesAbout } from './diagram/selection/follow.js';
export { otherNamespaces } from './diagram/selection/names.js';
export { NearestNames, type OfferedNames } from './diagram/selection/nearest-names.js';
export { hasSide, type Selection, Selector } from './diagram/selection/select.js';
export { UntilTracker } from './diagram/selection/until.js';
export { ALL_LAYERS, DEFAULT_LAYERS, type DiagramOptions } from './diagram/selection/visibility.js';
export { compileWhere } from './diagram/selection/where.js';
export { SeqSet } from './diagram/spooled/seq-set.js';
export { SpooledObservation } from './diagram/spooled/spooled-observation.js';
export { isUnread, touching, type UnreadPlace, unreadPlaces } from './diagram/unread-places.js';
export { compare, type Difference, type DiffLine } from './diff/compare.js';
export { type Finding, type WeighedDifference, weigh } from './diff/findings.js';
export { alignInstances } from './diff/instances.js';
export type { DiffSide, Item } from './diff/item.js';
export { type Normalise, normaliser, normaliseText } from './diff/names.js';
export { observedSide } from './diff/observed.js';
export { diagramSide, savedDiagramSide, wordsIn, writtenSide } from './diff/written.js';
export {
  type Budget,
  type BudgetResult,
  checkBudgets,
  readBudgets,
  UnreadableBudget,
  yamlMistake,
} from './expectation/budget.js';
export {
  type CheckFailure,
  type CheckOptions,
  type CheckVerdict,
  check,
  ObservationIndex,
} from './expectation/check.js';
export { Judge, type Judged, NOTHING_THERE, placesText } from './expectation/judge.js';
export { budgetMistakes, kindMistakes, type Mistake, nameMistakes, Roster } from './expectation/mistakes.js';
export { type CheckReport, isMet, isUndecided } from './expectation/report.js';
export { type Rewritten, rewrite } from './expectation/rewrite.js';
export { stableExpectation } from './expectation/stable-expectation.js';
export { type Diagram, UnreadableDiagram } from './expectation/syntax/diagram.js';
export { type Expectation, expectationsOf } from './expectation/syntax/page.js';
export { isEmpty, parseDiagram } from './expectation/syntax/parse.js';
export { UnreadTraffic } from './expectation/unread-traffic.js';
export type { ProtocolFound } from './http/http-event.js';
export { COMPONENTS, componentOf, type HostProcess } from './keys/components.js';
export type { ReadAt } from './keys/elf.js';
export { findGoFunction, type GoFunction, openGoProgram } from './keys/go-function.js';
export { type HeaderReport, headerProbeLine, ObservedTables, type ReadMemory } from './keys/hpack-probe.js';
export { type EventName, leftoverEvents, ownInstances, runNames } from './keys/leftovers.js';
export { connectionName, type OpenConnectionCount, OpenConnections } from './keys/open-connections.js';
export { bpftraceProgram, KEY_LOG_FUNCTION, uprobeLine } from './keys/probe.js';
export { RecentHandshakes } from './keys/recent-handshakes.js';
export type { RecordReport } from './keys/record-probe.js';
export { findRecordProbes, RECORD_FUNCTIONS, type RecordProbes, recordProbeLine } from './keys/record-probe.js';
export { establishedSockets, type SocketRow } from './keys/socket-table.js';
export { TraceLines } from './keys/trace-lines.js';
export { type FollowedName, parseFollow } from './kubernetes/api/kinds.js';
export { groupResource, objectReference, objectText } from './kubernetes/api/object-ref.js';
export type { ControllerRule } from './kubernetes/attributed/controllers.js';
export { MessageLinker } from './kubernetes/emitted/message-links.js';
export { ObjectStore } from './kubernetes/lives/object-store.js';
export type { Details } from './kubernetes/messages/details-types.js';
export type { FieldName } from './kubernetes/messages/fields.js';
export type { Message, MessageKind, Participant, Protocol } from './kubernetes/messages/message.js';
export type { NamingRule } from './kubernetes/placed/identity/participant-registry.js';
export { type Block, blocksOf, withContents } from './markdown/page.js';
export { PageError, type Setting } from './markdown/settings.js';
export { ChangeWords } from './object-history/change-words.js';
export { HistoryBuilder } from './object-history/history.js';
export { type LabelTest, parseLabelSelector } from './object-history/label-selector.js';
export type { Incarnation, ObjectHistory } from './object-history/model.js';
export { ObjectHistories, type WantedObjects } from './object-history/object-histories.js';
export { type TunnelPorts, tunnelRule } from './packet/tunnels.js';
export { alignClocks, type Clock, type ClockAlignment } from './pipeline/align-clocks.js';
export {
  beginningOf,
  type CaptureBeginning,
  type CaptureBytes,
  isTable,
  type LaterCapture,
  plainBytes,
} from './pipeline/capture-bytes.js';
export { CaptureReading, type CaptureSource } from './pipeline/capture-reading.js';
export { ExchangeStage } from './pipeline/exchange-stage.js';
export { type FileKind, kindOf, LOOKED_AT, otherKindOf } from './pipeline/file-kind.js';
export { type LiveKeySource, openSecrets, type Secrets } from './pipeline/key-source.js';
export { MessageStage, type PipelineInput, type PipelineItem, type PipelineOptions } from './pipeline/message-stage.js';
export { decode, framesOf, observe } from './pipeline/read-captures.js';
export { TcpStage } from './pipeline/tcp-stage.js';
export { fieldLines } from './redaction/body/field-choice.js';
export { fieldErrors, type Redaction, type Reveal, redactionOf } from './redaction/redaction.js';
export type { Shown, ShownValue } from './redaction/shown.js';
export { type CheckPatch, renderCheckGithub, renderCheckSummary } from './render/check/check-github.js';
export { renderCheckJson } from './render/check/check-json.js';
export { renderCheckJunit } from './render/check/check-junit.js';
export { renderCheckText } from './render/check/check-text.js';
export { ExpectationText } from './render/check/expectation-text.js';
export { renderPathJson, renderStatisticsJson } from './render/critical-path/path-json.js';
export { pathMarks } from './render/critical-path/path-marks.js';
export { pathReport, statisticsReport } from './render/critical-path/path-report.js';
export { renderDiffJson } from './render/diff/diff-json.js';
export { diffPicture } from './render/diff/diff-picture.js';
export { type DiffPaint, PLAIN_DIFF, renderDiffStat, renderDiffText } from './render/diff/diff-text.js';
export { cellsOf, cutToCells, wrapToCells } from './render/escape/cells.js';
export { jsonText } from './render/escape/json-text.js';
export { fenced } from './render/escape/markdown-escape.js';
export { shorten } from './render/escape/mermaid-escape.js';
export { escapeTerminal } from './render/escape/terminal-escape.js';
export { type HtmlOptions, htmlPage, type PagePart, renderHtml } from './render/html/html.js';
export { renderCauseChain } from './render/messages/cause-chain.js';
export { csvLine, renderCsvHead, renderCsvRow } from './render/messages/csv.js';
export { bodyText, messageLineWithBody } from './render/messages/details-json.js';
export { LineBuffer } from './render/messages/line-buffer.js';
export { type MessageJsonOptions, messageJson, messageLine, writeMessage } from './render/messages/message-json.js';
export { hasFailed, latencyText, tableHead, tableRow } from './render/messages/table.js';
export { renderObjectJson } from './render/object/object-json.js';
export { renderObjectMarkdown } from './render/object/object-markdown.js';
export { objectPicture } from './render/object/object-picture.js';
export { renderObjectText } from './render/object/object-text.js';
export { type ReportSection, reportMarkdown, reportText } from './render/report/report.js';
export { renderMarkdown } from './render/sequence/markdown.js';
export { renderMermaid } from './render/sequence/mermaid.js';
export { provenanceText, renderParticipants, withVersionOf } from './render/sequence/page-part.js';
export { renderPlantuml } from './render/sequence/plantuml.js';
export { renderSequenceJson } from './render/sequence/sequence-json.js';
export { renderSteps } from './render/sequence/steps.js';
export { type Paint, PLAIN, renderText, type TextOptions } from './render/sequence/text.js';
export { formatOffset, formatTime } from './render/time.js';
export { renderTopJson } from './render/top/top-json.js';
export { renderTopMarkdown, renderTopText } from './render/top/top-text.js';
export type { TraceOptions } from './render/traces/attributes.js';
export { OtlpWriter } from './render/traces/otlp.js';
export { PerfettoWriter } from './render/traces/perfetto.js';
export {
  type RandomAccessFile,
  type TableSelection,
  type TableWriter,
  type TableWriterOptions,
  tableWriter,
} from './saved/table/open.js';
export { SavedWriter } from './saved/write.js';
export { blocksIn, MessagePacker, type SpoolIndex } from './spool/message-packer.js';
export type { SpoolSink, SpoolSource, SpoolStorage } from './spool/spool-storage.js';
export { SUMMARY_FIELDS, type Summary, SummaryCollector } from './summary/summary.js';
export { summaryMarkdown, summaryText } from './summary/summary-text.js';
export type { StreamBytes } from './tcp/stream-event.js';
export { DEFAULT_THRESHOLDS, type FindingThresholds, type UsageFinding } from './top/findings/finding.js';
export { DEFAULT_GROUP_KEYS, GROUP_KEY_NAMES, type GroupKeyName } from './top/group-keys.js';
export { SORT_KEYS, type SortKey } from './top/sort-keys.js';
export { TopCollector, type TopOptions } from './top/top-collector.js';
export type { TopCounts, TopReport, TopRow } from './top/top-report.js';
export { VERSION } from './version.js';
