// Which names on one connection are those of one process: a program whose controllers say which of them asks lets them share its
// connections (cert-manager, pkg/util/useragent.go: `cert-manager-certificates-issuing/v1.21.2 (linux/amd64) …` beside
// `cert-manager/v1.21.2 (linux/amd64) …`), and who elects a leader for it may go by its binary's name (controller-runtime,
// pkg/leaderelection: `cainjector/… /leader-election` beside `cert-manager-cainjector/…`). Knows User-Agents and connections.

import { keep } from '../core/bounded.js';
import { programOf } from './known-speakers.js';
import type { Speaker } from './message.js';

export class ProcessParts {
  /** By connection: who spoke on it, by User-Agent. */
  readonly #spoke = new Map<number, Map<string, Speaker>>();

  /** A program sent a request. @param frame of it. */
  heard(connection: number, userAgent: string, speaker: Speaker, frame: number): void {
    const known = this.#spoke.get(connection);
    if (known?.has(userAgent) === true) return;
    if (known === undefined) {
      keep(this.#spoke, connection, new Map([[userAgent, speaker]]), MAX_CONNECTIONS);
      return;
    }
    for (const [other, by] of known) {
      if (isPartOf(userAgent, other)) join(speaker, by, frame);
      else if (isPartOf(other, userAgent)) join(by, speaker, frame);
    }
    if (known.size < MAX_NAMES) known.set(userAgent, speaker);
  }
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

function join(part: Speaker, whole: Speaker, frame: number): void {
  const program = programOf(whole.process);
  if (program === null) return;
  programOf(part)?.belongsTo(program, `speaks on a connection of ${program.component} (frame ${frame})`, frame);
}

/** `/v1.21.2 (linux/amd64) cert-manager/0123456`: versions alone are often the same. */
const BUILD = /^\/\S+ \([^)]*\) \S/;
const ELECTION = '/leader-election';
/** One that is forgotten is joined no more, until it speaks anew. 0.5 KiB each. */
const MAX_CONNECTIONS = 20_000;
/** Controllers of one program; more behind one connection are a proxy's. */
const MAX_NAMES = 64;
