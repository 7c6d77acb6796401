// The status of an answer whose `:status` stands in an unknown table entry, concluded from its body. Knows how the API
// server chooses statuses; one that HPACK's static table has would not stand in an entry at all.
// Source: k8s.io/apiserver/pkg/endpoints/handlers (create.go, response.go)

import type { Carrying } from './shapes.js';

/**
 * @param verb of the request; undefined: not known. @param requestBody null: not kept.
 * @returns undefined where it cannot be told.
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
