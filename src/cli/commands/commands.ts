// Names every command in one place, so that one import loads them with the pipeline that they share.

export { carryOut } from '../command.js';
export { withPager } from '../output/pager.js';
export { check } from './check.js';
export { complete } from './complete.js';
export { diagram } from './diagram.js';
export { diff } from './diff.js';
export { docs } from './docs.js';
export { doctor } from './doctor.js';
export { explain } from './explain.js';
export { exportMessages } from './export.js';
export { keys } from './keys.js';
export { mcp } from './mcp.js';
export { messages } from './messages.js';
export { object } from './object.js';
export { path } from './path.js';
export { query } from './query.js';
export { record } from './record.js';
export { summary } from './summary.js';
export { top } from './top.js';
export { view } from './view.js';
