// Infers the status of a response whose `:status` stands in an unknown HPACK table entry, from its body; statuses of HPACK's static table
// do not stand in such an entry.
// Source: k8s.io/apiserver/pkg/endpoints/handlers (create.go, response.go)

import type { Carrying } from './shapes.js';

/**
 * @param verb of the request; undefined: not known. @param requestBody null: not kept.
 * @returns undefined where it is not certain.
 */
export function statusByAnswer(
  verb: string | undefined,
  requestBody: Carrying | null,
  answer: Carrying,
): number | undefined {
  const { carried } = answer;
  if (carried === null || !answer.complete) return undefined;
  if (carried.status !== undefined) {
    const { code } = carried.status;
    return code >= 200 && code <= 599 && !IN_STATIC_TABLE.has(code) ? code : undefined;
  }
  if (verb !== 'create') return undefined;
  const sent = requestBody?.carried?.info.kind;
  return sent === undefined || sent === carried.info.kind ? 201 : undefined;
}

/** RFC 7541, appendix A. */
const IN_STATIC_TABLE = new Set([200, 204, 206, 304, 400, 404, 500]);
