// The library: what programs import as `kubeseq`.

export type { CaptureInput } from './capture-input.js';
export { check } from './check.js';
export * from './exports.js';
export { openCapture } from './open-capture.js';
export { CapturedStory, story } from './story.js';
