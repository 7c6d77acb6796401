// Groups the User-Agents of one process. Controllers of one program share its connections under names of their own (cert-manager,
// pkg/util/useragent.go), and a leader elector may use the binary's name (controller-runtime, pkg/leaderelection).

import { BoundedMap } from '../../../core/collections/bounded.js';
import { readUserAgent } from '../../participants/components.js';
import { type ParticipantRecord, proven } from '../../participants/participant-record.js';

export class ProcessGrouping {
  /** By connection: its User-Agents. */
  readonly #spoke = new BoundedMap<number, AgentOfConnection[]>(MAX_CONNECTIONS, 'programs of connections');

  /** Programs that named themselves on a connection. */
  on(connection: number): readonly ParticipantRecord[] {
    return (this.#spoke.get(connection) ?? NOBODY).map(({ participant }) => participant);
  }

  /** A program sent a request. @param frame of it. */
  observe(connection: number, userAgent: string, participant: ParticipantRecord, frame: number): void {
    // Most connections have one, which a list holds in less room than a map.
    const known = this.#spoke.get(connection);
    if (known === undefined) {
      this.#spoke.set(connection, [{ userAgent, participant }]);
      return;
    }
    if (known.some((other) => other.userAgent === userAgent)) return;
    for (const other of known) {
      if (isPartOf(userAgent, other.userAgent)) join(participant, other.participant, frame);
      else if (isPartOf(other.userAgent, userAgent)) join(other.participant, participant, frame);
    }
    if (known.length < MAX_NAMES) known.push({ userAgent, participant });
  }
}

const NOBODY: readonly AgentOfConnection[] = [];

interface AgentOfConnection {
  readonly userAgent: string;
  readonly participant: ParticipantRecord;
}

/** Does a name go on where the other one ends, of the same version and build? Or elect a leader by the other's last words? */
function isPartOf(part: string, whole: string): boolean {
  const [name, rest] = split(part);
  const [program, build] = split(whole);
  if (program === '' || name === '') return false;
  if (rest === build) return BUILD.test(build) && name.startsWith(`${program}-`);
  return rest.endsWith(ELECTION) && program.endsWith(`-${name}`);
}

function split(userAgent: string): readonly [string, string] {
  const at = userAgent.indexOf('/');
  return at < 0 ? ['', ''] : [userAgent.slice(0, at), userAgent.slice(at)];
}

function join(part: ParticipantRecord, whole: ParticipantRecord, frame: number): void {
  const program = whole.process;
  part.find().belongsTo(program, proven(`speaks on a connection of ${program.component}`, frame));
}

/** `/v1.21.2 (linux/amd64) cert-manager/0123456`: versions alone are often the same. */
const BUILD = /^\/\S+ \([^)]*\) \S/;
const ELECTION = '/leader-election';
/** Limit: connections whose User-Agents are grouped to processes, 0.5 KiB each; a forgotten one is grouped again by its next request. */
const MAX_CONNECTIONS = 20_000;
/** Limit: User-Agents of one connection, controllers of one program; more behind one connection are a proxy's. */
const MAX_NAMES = 64;

/**
 * Finds the User-Agent that names the program of a connection, where one request names only its HTTP library: discovery and
 * readiness checks often use Go-http-client on the connection of the other requests.
 */
export class ConnectionUserAgents {
  /** By connection: the User-Agent of the only program so far; null: there were several. */
  readonly #named = new BoundedMap<number, string | null>(MAX_NAMED, 'user agents of connections');

  /** @returns the User-Agent that identifies the client of a request. */
  of(connection: number, userAgent: string | undefined): string | undefined {
    if (userAgent === undefined) return undefined;
    const named = this.#named.get(connection);
    if (named === userAgent) return userAgent;
    const { component, names } = readUserAgent(userAgent);
    if (component === null) return GO.test(userAgent) ? (named ?? userAgent) : userAgent;
    if (names !== 'program') return userAgent;
    if (named === undefined) this.#named.set(connection, userAgent);
    else if (named !== null) this.#named.set(connection, null);
    return userAgent;
  }
}

const GO = /^[Gg]o-http-client\//;
/** Limit: connections whose only User-Agent is remembered, 0.1 KiB each; a forgotten one goes by the request's own User-Agent. */
const MAX_NAMED = 20_000;
