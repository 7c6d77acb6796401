// Names what the rows of formats.ts render with; loaded with the commands.

export * from '../index.js';
export { doctorJson, doctorText } from './doctor/doctor-report.js';
export { probesJson, probesProgram, probesText } from './keys/probe-list.js';
export { explanationText } from './output/explanation.js';
export { drawImage } from './output/image.js';
export { warnOfLength } from './output/mermaid-limit.js';
export { jsonRows, rowPieces, savedAs, savedPieces, textRows, traceRows } from './output/message-rows.js';
export { whyNoPath } from './output/no-path.js';
export { pageOf } from './output/page.js';
export { rowReport } from './output/row-table.js';
export { diagramTrace, traceOptions } from './output/trace.js';
