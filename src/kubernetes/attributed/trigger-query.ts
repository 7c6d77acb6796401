// Says which deliveries can trigger a request: by its client, what wakes that client, and the version that the request is based on.

import type { RequestInfo } from '../api/request-info.js';
import type { BodyObject } from '../objects/object-info.js';
import type { ParticipantRecord } from '../participants/participant-record.js';
import type { ControllerProfile } from './controllers.js';

/** The client of a request, and which deliveries trigger it. */
export interface TriggerQuery {
  /** Participant ids of the process: see `ParticipantRecord.ids`. */
  readonly process: readonly number[];
  /** Participant id of the client. */
  readonly writer: number;
  /** Resources whose events trigger it; null: all. */
  readonly resources: ReadonlySet<string> | null;
  /** Its own writes trigger it too. */
  readonly reactsToOwnWrites: boolean;
  /** The version that its request is based on, where the request carries one: newer events were unknown to it. */
  readonly had?: { readonly resource: string; readonly version: number };
}

/**
 * @param info of the request; undefined: its object is not the one that it is asked for. Without a spread, which costs more than the
 * rest of a request's cause.
 */
export function queryOf(
  { id, process: of }: ParticipantRecord,
  profile: ControllerProfile,
  info?: RequestInfo,
  carried: BodyObject | null = null,
): TriggerQuery {
  return {
    process: of.ids,
    writer: id,
    resources: profile.resources,
    reactsToOwnWrites: profile.reactsToOwnWrites,
    had: info && basedOnIn(info, carried),
  };
}

/** An update carries the version it was made from (optimistic concurrency). */
function basedOnIn({ verb, resource = '', name }: RequestInfo, carried: BodyObject | null): TriggerQuery['had'] {
  const version = verb === 'update' && carried?.info.name === name ? Number(carried?.info.resourceVersion) : Number.NaN;
  return Number.isNaN(version) ? undefined : { resource, version };
}
