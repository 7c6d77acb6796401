// Says why an object has no critical path: nothing of its beginning, or of its end, is in the capture.

import { type ObjectHistory, readyBefore } from '../../index.js';

/** @param name as the user wrote it: `deployment/web`. @param goal undefined: any. */
export function whyNoPath(name: string, { resource, incarnations }: ObjectHistory, goal?: 'ready' | 'gone'): string {
  if (goal === 'gone') return 'it was not deleted';
  const before = incarnations.map((one) => readyBefore(one, resource)).find((one) => one !== undefined);
  if (before !== undefined) {
    const pods = WORKLOADS.has(resource) ? `; its new Pods: kubeseq path ${name} --pods` : '';
    return `it existed before the capture and was ${before.words} when first seen (message ${before.at.seq}): there is no start to measure${pods}`;
  }
  return goal === 'ready' ? 'it was not created' : 'it was neither created nor deleted, and did not get ready';
}

/** Kinds with a goal that own Pods. */
const WORKLOADS = new Set(['deployments', 'jobs']);
