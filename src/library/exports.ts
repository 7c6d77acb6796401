// Names what programs get of every library, beside the functions that take captures.

export {
  type CheckVerdict,
  type Message,
  NOTICE_CODES,
  type Notice,
  type NoticeCode,
  type Participant,
  type Protocol,
  UnreadableDiagram,
  VERSION,
} from '../index.js';
export { type CaptureCheckOptions, type CheckResult, UnmetExpectation } from './check.js';
export type { OpenCaptureOptions } from './open-capture.js';
export type { CapturedStory, StoryOptions } from './story.js';
