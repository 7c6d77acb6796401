// Participants of a saved file: as an export tells them, or rebuilt from the names on its messages. Knows the table of
// components; what a file claims about pictures (ids, places) is taken only as far as that table has it.

import { componentNamed, electsLeader, readUserAgent, tierOf } from '../kubernetes/components.js';
import type { Speaker } from '../kubernetes/message.js';
import type { NamingRule } from '../kubernetes/speakers.js';
import { TIERS, type Tier } from '../kubernetes/tiers.js';

/** What an export says of a participant. */
export interface ParticipantRecord {
  readonly id: number;
  readonly name: string;
  readonly component: string;
  /** Id of the process that it is part of; its own where it is none's. */
  readonly process: number;
  readonly tier: Tier;
  /** Its id in pictures is its component's own. */
  readonly known: boolean;
  readonly perNode: boolean;
  readonly evidence?: readonly string[];
}

/** Of a request. */
interface Heard {
  readonly userAgent?: string;
  readonly resource?: string;
  readonly verb?: string;
}

export class SavedSpeakers {
  readonly #firstId: number;
  readonly #rules: readonly NamingRule[];
  readonly #byId = new Map<number, SavedSpeaker>();
  readonly #byName = new Map<string, SavedSpeaker>();
  #last = 0;

  /** @param firstId ids of this file's participants follow it. @param rules a user's own names, which win. */
  constructor(firstId: number, rules: readonly NamingRule[]) {
    this.#firstId = firstId;
    this.#rules = rules;
  }

  /** A participant, or what is better known of it: lines before it keep the name that they have. */
  learn(record: ParticipantRecord): void {
    const speaker = this.#numbered(record.id);
    speaker.named = record.name;
    speaker.component = record.component;
    speaker.tier = record.tier;
    speaker.known = record.known;
    speaker.perNode = record.perNode;
    speaker.manager = record.process === record.id ? null : this.#numbered(record.process);
    if (record.evidence !== undefined) speaker.evidence = record.evidence;
  }

  /** @param id as the export numbers it; undefined: the file has only names. */
  speaker(id: number | undefined, name: string): SavedSpeaker {
    const numbered = id === undefined ? undefined : this.#byId.get(id);
    return numbered ?? this.#byNameOf(name);
  }

  /** A request tells what its sender is, and whether a user's rule names it otherwise. */
  hear(speaker: SavedSpeaker, address: string, { userAgent, ...request }: Heard): void {
    const rule = this.#rules.find((one) => one.matches(address, userAgent));
    if (rule !== undefined) {
      speaker.fixedName = rule.name;
      speaker.component = rule.component ?? rule.name;
    }
    if (!speaker.guessed) return;
    if (electsLeader(speaker.component, request)) speaker.tier = 'controllers';
    if (userAgent === undefined) return;
    const { component, controller } = readUserAgent(userAgent);
    if (component === null || controller === null || speaker.component !== controller) return;
    speaker.manager = this.#byNameOf(component);
    speaker.tier = speaker.manager.tier;
    speaker.guessed = false;
  }

  #numbered(id: number): SavedSpeaker {
    let speaker = this.#byId.get(id);
    if (speaker === undefined) {
      speaker = this.#open('');
      if (this.#byId.size < MAX_SPEAKERS) this.#byId.set(id, speaker);
    }
    return speaker;
  }

  #byNameOf(name: string): SavedSpeaker {
    let speaker = this.#byName.get(name);
    if (speaker === undefined) {
      speaker = this.#open(name);
      speaker.guessed = true;
      speaker.component = componentIn(name);
      speaker.tier = tierOf(speaker.component);
      speaker.perNode = componentNamed(speaker.component)?.perNode === true;
      speaker.evidence = ['named so in a file of saved messages'];
      if (this.#byName.size < MAX_SPEAKERS) this.#byName.set(name, speaker);
    }
    return speaker;
  }

  #open(name: string): SavedSpeaker {
    this.#last += 1;
    return new SavedSpeaker(this.#firstId + this.#last, name);
  }
}

export class SavedSpeaker implements Speaker {
  component = '';
  tier: Tier = 'others';
  evidence: readonly string[] = [];
  known = true;
  perNode = false;
  manager: SavedSpeaker | null = null;
  fixedName: string | null = null;
  /** Only its name is known. */
  guessed = false;

  constructor(
    private readonly ownId: number,
    public named: string,
  ) {}

  /** Who was found to be a program that speaks elsewhere, too (Listener), is that program: it is told as a part of it. */
  get id(): number {
    return this.manager?.component === this.component ? this.manager.id : this.ownId;
  }

  get name(): string {
    return this.fixedName ?? this.named;
  }

  get process(): Speaker {
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
/** As many as the interpreter tells apart. */
const MAX_SPEAKERS = 100_000;
