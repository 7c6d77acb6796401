// Reads the participants of a saved file, or rebuilds them from the names in its messages; ids and tiers count only as far as the table
// of components has them.

import { hostOf } from '../core/connection-name.js';
import type { Participant } from '../kubernetes/messages/message.js';
import { componentNamed, electsLeader, readUserAgent, tierOf } from '../kubernetes/participants/components.js';
import { TIERS, type Tier } from '../kubernetes/participants/tiers.js';
import type { NamingRule } from '../kubernetes/placed/identity/participant-registry.js';

/** A participant's line in an export. */
export interface ParticipantLine {
  readonly id: number;
  readonly name: string;
  readonly component: string;
  /** Id of the process that it is part of; its own where it is none's. */
  readonly process: number;
  readonly tier: Tier;
  /** Its id in diagrams is its component's own. */
  readonly known: boolean;
  readonly perNode: boolean;
  readonly evidence?: readonly string[];
}

export class SavedParticipants {
  readonly #firstId: number;
  readonly #rules: readonly NamingRule[];
  readonly #byId = new Map<number, SavedParticipant>();
  readonly #byName = new Map<string, SavedParticipant>();
  #last = 0;

  /** @param firstId ids of this file's participants follow it. @param rules a user's own names, which win. */
  constructor(firstId: number, rules: readonly NamingRule[]) {
    this.#firstId = firstId;
    this.#rules = rules;
  }

  /** A participant, or what is better known of it: lines before it keep the name that they have. */
  learn(record: ParticipantLine): void {
    const participant = this.#numbered(record.id);
    participant.named = record.name;
    participant.component = record.component;
    participant.tier = record.tier;
    participant.known = record.known;
    participant.perNode = record.perNode;
    participant.manager = record.process === record.id ? null : this.#numbered(record.process);
    if (record.evidence !== undefined) participant.evidence = record.evidence;
  }

  /** @param id as the export numbers it; undefined: the file has only names. */
  participant(id: number | undefined, name: string): SavedParticipant {
    const numbered = id === undefined ? undefined : this.#byId.get(id);
    return numbered ?? this.#byNameOf(name);
  }

  /**
   * A request shows its sender's component, and whether a user's rule gives it another name.
   * @param endpointOf the participant's end of the connection.
   */
  observeRequest(
    participant: SavedParticipant,
    connection: string,
    endpointOf: (connection: string) => string,
    userAgent: string | undefined,
    resource: string | undefined,
    verb: string | undefined,
  ): void {
    if (this.#rules.length > 0) {
      const address = hostOf(endpointOf(connection));
      const rule = this.#rules.find((one) => one.matches(address, userAgent));
      if (rule !== undefined) {
        participant.fixedName = rule.name;
        participant.component = rule.component ?? rule.name;
      }
    }
    if (!participant.guessed) return;
    if (electsLeader(participant.component, { resource, verb })) participant.tier = 'controllers';
    if (userAgent === undefined) return;
    const { component, controller } = readUserAgent(userAgent);
    if (component === null || controller === null || participant.component !== controller) return;
    participant.manager = this.#byNameOf(component);
    participant.tier = participant.manager.tier;
    participant.guessed = false;
  }

  #numbered(id: number): SavedParticipant {
    let participant = this.#byId.get(id);
    if (participant === undefined) {
      participant = this.#open('');
      if (this.#byId.size < MAX_PARTICIPANTS) this.#byId.set(id, participant);
    }
    return participant;
  }

  #byNameOf(name: string): SavedParticipant {
    let participant = this.#byName.get(name);
    if (participant === undefined) {
      participant = this.#open(name);
      participant.guessed = true;
      participant.component = componentIn(name);
      participant.tier = tierOf(participant.component);
      participant.perNode = componentNamed(participant.component)?.perNode === true;
      participant.evidence = ['named so in a file of saved messages'];
      if (this.#byName.size < MAX_PARTICIPANTS) this.#byName.set(name, participant);
    }
    return participant;
  }

  #open(name: string): SavedParticipant {
    this.#last += 1;
    return new SavedParticipant(this.#firstId + this.#last, name);
  }
}

export class SavedParticipant implements Participant {
  component = '';
  tier: Tier = 'others';
  evidence: readonly string[] = [];
  known = true;
  perNode = false;
  manager: SavedParticipant | null = null;
  fixedName: string | null = null;
  /** Only its name is known. */
  guessed = false;

  constructor(
    private readonly ownId: number,
    public named: string,
  ) {}

  /** An export has a client that was found to be another record's program as a part of that program. */
  get id(): number {
    return this.manager?.component === this.component ? this.manager.id : this.ownId;
  }

  get name(): string {
    return this.fixedName ?? this.named;
  }

  get process(): Participant {
    return this.manager ?? this;
  }

  get shortId(): string | null {
    return this.known ? (componentNamed(this.component)?.id ?? null) : null;
  }
}

/** `kubelet (node-1)` is a kubelet, `Pod web-0` a Pod, `webhook guard.example` a webhook; `client 192.0.2.7` is nothing but itself. */
function componentIn(name: string): string {
  const [word] = name.split(' ', 1);
  if (componentNamed(word) !== undefined) return word;
  const bracket = name.indexOf(' (');
  return bracket > 0 && name.endsWith(')') ? name.slice(0, bracket) : name;
}

export function isTier(value: unknown): value is Tier {
  return typeof value === 'string' && KNOWN_TIERS.has(value);
}

const KNOWN_TIERS: ReadonlySet<string> = new Set(TIERS);
/** Limit: participants of one export: as many as the interpreter distinguishes. */
const MAX_PARTICIPANTS = 100_000;
