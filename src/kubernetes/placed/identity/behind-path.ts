// Names the API servers that one address has behind its paths: each is a participant of its own.

import { isLoopback } from '../../../core/address.js';
import type { Endpoint } from '../../../packet/segment.js';
import { shownPlainWord } from '../../../redaction/names.js';
import { prefixOf } from '../../api/path-prefix.js';
import { API_SERVER } from '../../participants/components.js';
import { addressOf, placeOf } from '../../participants/hosts.js';
import { type ParticipantRecord, proven } from '../../participants/participant-record.js';
import type { ParticipantRegistry } from './participant-registry.js';

/**
 * @param prefix of a request, as captured.
 * @returns the API server behind it; null: that of the address itself, as a proxy on loopback has one API server whatever its path is.
 */
export function behindPath(
  participants: ParticipantRegistry,
  prefix: string,
  to: Endpoint,
  frame: number,
): ParticipantRecord | null {
  const { words, name } = prefixOf(prefix);
  if (words === undefined && isLoopback(to.address)) return null;
  const path = prefix.split('/').slice(0, SEGMENTS).map(shownPlainWord).join('/');
  const which = words === undefined ? `behind ${path}` : name === undefined ? words : `${words} ${name}`;
  return participants.extension({
    component: API_SERVER,
    key: `${prefix} at ${placeOf(to)}`,
    name: `${API_SERVER} (${which})`,
    address: addressOf(to),
    // An audit log names no port.
    evidence: proven(`is requested below ${path}${to.port === 0 ? '' : ` on ${to.address} port ${to.port}`}`, frame),
  });
}

/** Limit: segments of a path that are named. */
const SEGMENTS = 12;
