// The library: what programs import as `kubeseq`.

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
export type { CaptureInput } from './capture-input.js';
export { type CaptureCheckOptions, type CheckResult, check, UnmetExpectation } from './check.js';
export { type OpenCaptureOptions, openCapture } from './open-capture.js';
export { CapturedStory, type StoryOptions, story } from './story.js';
