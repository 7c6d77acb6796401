// Joins what is learnt of a program (its User-Agent, address, node, and what it serves) into one participant. Evidence grows: a kubelet
// gets its node's name when it first requests its Node, and diagrams drawn later use the better name.

import { flattenString } from '../../../core/bytes/bytes.js';
import { BoundedMap } from '../../../core/collections/bounded.js';
import type { Endpoint } from '../../../packet/segment.js';
import { API_SERVER, componentNamed, PROXY, readUserAgent } from '../../participants/components.js';
import { addressOf, hostOf, LOCALHOST, sameHost } from '../../participants/hosts.js';
import { type Evidence, ParticipantRecord, proven } from '../../participants/participant-record.js';
import { DualStackHosts } from '../network/dual-stack-hosts.js';
import type { UserIdentity } from './authentication.js';
import { PerNodeComponents } from './per-node-components.js';
import { UnidentifiedWatchers } from './unidentified-watchers.js';

/** A webhook, an aggregated API server. */
export interface Extension {
  readonly component: string;
  /** Where it serves, which distinguishes it from others of its component. */
  readonly key: string;
  /** As it is known now: may be known better later. */
  readonly name: string;
  readonly address: string;
  readonly evidence: Evidence;
}

export interface NamingRule {
  readonly name: string;
  readonly component?: string;
  matches(address: string, userAgent: string | undefined): boolean;
}

export class ParticipantRegistry {
  readonly #rules: readonly NamingRule[];
  readonly #byKey = new BoundedMap<string, ParticipantRecord>(MAX_PARTICIPANTS, 'participants');
  readonly #instances = new Map<string, ParticipantRecord[]>();
  readonly #clients = new Map<string, ParticipantRecord[]>();
  readonly #watchers = new UnidentifiedWatchers();
  readonly #hosts = new DualStackHosts();
  readonly #nodePrograms: PerNodeComponents;
  /** By User-Agent and address: looked up by nearly every request without building a key. */
  readonly #byAgent = new Map<string, Map<string, ParticipantRecord>>();
  /** The first of a component on an address. */
  readonly #byPlace = new BoundedMap<string, ParticipantRecord>(MAX_PARTICIPANTS, 'participants of addresses');
  #agents = 0;
  #opened = 0;
  #lastId = 0;

  /** @param rules a user's own names (`--participants`), which win over everything. */
  constructor(rules: readonly NamingRule[] = []) {
    this.#rules = rules;
    this.#nodePrograms = new PerNodeComponents(
      (address) => listIn(this.#clients, address),
      ({ component, address }, which, evidence) => {
        const opened = this.#open(`${component} ${address} ${which}`, component, address, evidence);
        listIn(this.#clients, address).push(opened);
        return opened;
      },
    );
  }

  /** The program behind a request: by its User-Agent, else by its address. */
  client(address: string, userAgent: string | undefined, frame: number): ParticipantRecord {
    const agent = userAgent ?? '';
    let onAddress = this.#byAgent.get(agent);
    const known = onAddress?.get(address);
    if (known !== undefined) return known;
    const participant = this.#clientOf(address, userAgent, frame);
    onAddress = this.#byAgent.get(agent);
    if (onAddress === undefined) {
      onAddress = new Map();
      this.#byAgent.set(agent, onAddress);
    }
    onAddress.set(address, participant);
    this.#agents += 1;
    if (this.#agents > MAX_PARTICIPANTS) this.#forgetAgents();
    return participant;
  }

  /** The program behind a request, by its credentials. */
  authenticatedClient(
    address: string,
    userAgent: string | undefined,
    { component, why }: UserIdentity,
    frame: number,
  ): ParticipantRecord {
    const key = `${component} sends from ${address}`;
    const known = this.#byRule(address, userAgent, frame) ?? this.#byKey.get(key);
    return known ?? this.#remember(key, this.concludedAs(component, address, proven(why, frame)));
  }

  /**
   * The receiver of a stream that was opened before the capture, of one connection: the program that turns out to be the only
   * one that sends from its address and to watch what it receives, else unknown.
   */
  watcher(connection: number, address: string, frame: number): ParticipantRecord {
    const host = this.#hosts.hostAt(address);
    return this.#watchers.of(connection, address, frame, host, listIn(this.#clients, host), () => this.newId());
  }

  /** The participant id of unknown receivers, see `watcher`, on a program's host; undefined: there are none. */
  watcherBeside({ address }: ParticipantRecord): number | undefined {
    return this.#watchers.unknownAt(this.#hosts.hostAt(address));
  }

  /** The program behind a connection that does not name itself. */
  concludedAs(component: string, address: string, evidence: Evidence): ParticipantRecord {
    return this.#processAt(component, address, evidence, false);
  }

  /** A program that names itself nowhere, and whose executable the capturing program noted. */
  notedAs(program: string, address: string, evidence: Evidence): ParticipantRecord {
    return this.#byRule(address, undefined, evidence.frame) ?? this.concludedAs(program, address, evidence);
  }

  /** A proxy with connections of its own between client and server, which passes everything unchanged. @param how that is known. */
  proxy(address: string, how: string, frame: number): ParticipantRecord {
    const key = `${PROXY}${address}`;
    return (
      this.#byKey.get(key) ??
      this.#byRule(address, undefined, frame) ??
      this.#open(key, key, hostOf(address), proven(how, frame))
    );
  }

  /**
   * The program that answers as `component` at an address; the same for all of its ports.
   * @param on the address in the packets, where that is a loopback of it.
   */
  server(component: string, address: string, port: number, frame: number, on = address): ParticipantRecord {
    const key = `${component} at ${address}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.serves(port);
      return known;
    }
    const evidence = proven(flattenString(`answers as ${component} on ${on} port ${port}`), frame);
    const participant = this.#byRule(address, undefined, frame) ?? this.#processAt(component, address, evidence, true);
    participant.serves(port);
    this.#nodePrograms.answers(participant);
    return this.#remember(key, participant);
  }

  /** A server that the API server calls: many can answer on one address. */
  extension({ component, key, name, address, evidence }: Extension): ParticipantRecord {
    const known =
      this.#byKey.get(`${component} ${key}`) ??
      this.#byRule(address, undefined, evidence.frame) ??
      this.#open(`${component} ${key}`, component, hostOf(address), evidence);
    if (known.component === component) known.givenName = name;
    return known;
  }

  /** The API server that sends to another server on a client's behalf: the User-Agent may be the client's. @param how that is known. */
  relay(address: string, userAgent: string | undefined, frame: number, how: string): ParticipantRecord {
    const key = `${API_SERVER} at ${address}`;
    const known = this.#byKey.get(key) ?? this.#byKey.get(`${API_SERVER} ${hostOf(address)}`);
    if (known !== undefined) return known;
    const program = readUserAgent(userAgent ?? '').component;
    // Custom tools may send to a kubelet themselves; kubectl never does.
    if (program !== null && program !== 'kubectl') return this.client(address, userAgent, frame);
    const named = this.#byRule(address, undefined, frame);
    return this.#remember(key, named ?? this.#processAt(API_SERVER, address, proven(how, frame), true));
  }

  /** That program at the other end of a connection: on an address of several nodes it is another one than elsewhere. */
  onConnection(program: ParticipantRecord, connection: number): ParticipantRecord {
    return this.#nodePrograms.on(program, connection);
  }

  /** The node that a per-node program was found to serve. @param connection over which it showed. @returns takes it back; null: not new. */
  learnNode(
    participant: ParticipantRecord,
    node: string,
    evidence: Evidence,
    connection?: number,
  ): (() => void) | null {
    return this.#nodePrograms.learn(participant, node, evidence, connection);
  }

  /** A Node lists an address as its own: what answers there is that node's. */
  nodeIsAt(node: string, address: string, frame: number): void {
    const known = this.#hosts.nodeHas(node, address);
    if (known !== null) this.#joinHosts(address, known, proven(`Node ${node} has ${known} and ${address}`, frame));
    this.#nodePrograms.nodeIsAt(node, address, frame, this.#programsAt(address));
  }

  /** Two records are one program, known by two addresses: the first is named as the second from now on. */
  merge(participant: ParticipantRecord, known: ParticipantRecord, evidence: Evidence): void {
    if (participant === known || participant.namedAs !== null || known.namedAs !== null) return;
    participant.namedAs = known;
    known.addEvidence(evidence);
  }

  /** A participant taken for a `component` because of what it serves is another program, if nothing else was known of it. */
  reassign(component: string, place: Endpoint, is: ParticipantRecord, evidence: Evidence): void {
    const taken = this.#byKey.get(`${component} at ${addressOf(place)}`);
    if (taken?.onlyServes(place.port) === true) this.merge(taken, is, evidence);
  }

  all(): readonly ParticipantRecord[] {
    return [...new Set(this.#byKey.values())].filter(({ namedAs }) => namedAs === null);
  }

  /** Whether a per-node component sends from an address. */
  isHost(address: string): boolean {
    return this.#programsAt(address).length > 0;
  }

  /** The id of a participant that another registry distinguishes. */
  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Existing messages keep their participants; a forgotten program that sends again becomes a new one. */
  #forget(): void {
    // A name depends on the first of its component and on whether there is another: the rest need not be held by them.
    for (const siblings of this.#instances.values()) siblings.length = Math.min(siblings.length, 2);
    for (const known of [this.#byKey, this.#byAgent, this.#byPlace, this.#instances, this.#clients]) known.clear();
    this.#opened = 1;
  }

  #forgetAgents(): void {
    this.#byAgent.clear();
    this.#agents = 0;
  }

  #open(key: string, component: string, address: string, evidence: Evidence): ParticipantRecord {
    this.#opened += 1;
    if (this.#opened > MAX_PARTICIPANTS) this.#forget();
    const participant = new ParticipantRecord(this.newId(), component, address, evidence);
    const siblings = listIn(this.#instances, component);
    siblings.push(participant);
    participant.siblings = siblings;
    this.#remember(key, participant);
    const place = `${component} ${address}`;
    if (!this.#byPlace.has(place)) this.#byPlace.set(flattenString(place), participant);
    return participant;
  }

  #remember(key: string, participant: ParticipantRecord): ParticipantRecord {
    this.#byKey.set(flattenString(key), participant);
    return participant;
  }

  /** Programs of the host itself. */
  #programsAt(address: string): ParticipantRecord[] {
    const host = this.#hosts.hostAt(address);
    return HOST_PROGRAMS.flatMap((component) => this.#byPlace.get(`${component} ${host}`) ?? []);
  }

  #processAt(component: string, address: string, evidence: Evidence, serving: boolean): ParticipantRecord {
    const host = this.#hosts.hostAt(address);
    const key = `${component} ${host}`;
    let participant = this.#byKey.get(key);
    if (participant === undefined && componentNamed(component)?.perNode !== true) {
      participant = this.#siblingAt(component, host, serving);
      if (participant?.address === LOCALHOST) {
        participant.address = host;
        this.#byPlace.set(key, participant);
      }
    }
    if (participant === undefined) {
      const opened = this.#open(key, component, host, evidence);
      opened.sendsRequests = !serving;
      if (!serving) listIn(this.#clients, host).push(opened);
      return opened;
    }
    participant.addEvidence(evidence);
    if (!serving) participant.sendsRequests = true;
    return this.#remember(key, participant);
  }

  /** One that is known by loopback is the first of its component: all that come later are taken for it. */
  #siblingAt(component: string, host: string, serving: boolean): ParticipantRecord | undefined {
    const siblings = this.#instances.get(component);
    if (siblings === undefined || sameHost(siblings[0].address, host, serving)) return siblings?.[0];
    if (!serving) return this.#byPlace.get(`${component} ${host}`);
    return siblings.find((one) => sameHost(one.address, host, serving));
  }

  #byRule(address: string, userAgent: string | undefined, frame: number | null): ParticipantRecord | undefined {
    const rule = this.#rules.find((one) => one.matches(address, userAgent));
    if (rule === undefined) return undefined;
    const { name, component = name } = rule;
    const key = `rule ${name}`;
    const participant =
      this.#byKey.get(key) ?? this.#open(key, component, address, proven('named by a participants rule', frame));
    participant.givenName = name;
    return participant;
  }

  #clientOf(address: string, userAgent: string | undefined, frame: number): ParticipantRecord {
    const key = `${address} ${userAgent ?? ''}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const named = this.#byRule(address, userAgent, frame);
    if (named !== undefined) return this.#remember(key, named);
    const { component, controller } = readUserAgent(userAgent ?? '');
    if (component === null) return this.#remember(key, this.#anonymousAt(address, frame));
    const evidence = proven(flattenString(`User-Agent ${userAgent}`), frame);
    const process = this.#processAt(component, address, evidence, false);
    this.#nodePrograms.place(process);
    if (controller === null) return this.#remember(key, process);
    const host = this.#hosts.hostAt(address);
    const controllerKey = `${component} ${host} ${controller}`;
    const participant = this.#byKey.get(controllerKey) ?? this.#open(controllerKey, controller, host, evidence);
    participant.manager = process;
    return this.#remember(key, participant);
  }

  /** The client of an address from which no program named itself. */
  #anonymousAt(address: string, frame: number): ParticipantRecord {
    const anonymous = `client ${address}`;
    const known = this.#byKey.get(anonymous);
    if (known !== undefined) return known;
    const other = this.#hosts.otherOf(address);
    const atOther = other === undefined ? undefined : this.#byKey.get(`client ${other}`);
    const claim = atOther === undefined ? 'no program named itself' : `${address} is another address of the same host`;
    const evidence = { claim, strength: 'address', frame } as const;
    atOther?.addEvidence(evidence);
    return atOther ?? this.#open(anonymous, anonymous, hostOf(address), evidence);
  }

  /** Programs at two addresses of one host are the same. */
  #joinHosts(address: string, known: string, evidence: Evidence): void {
    for (const [key, participant] of [...this.#byKey]) {
      if (participant.address !== address || participant.givenName !== null) continue;
      const { component, manager } = participant;
      const anonymous = component === `client ${address}`;
      const kept =
        manager === null
          ? this.#byKey.get(anonymous ? `client ${known}` : `${component} ${known}`)
          : this.#byKey.get(`${manager.component} ${known} ${component}`);
      if (kept === undefined) {
        if (anonymous) continue;
        // It is known by the host's address from here on.
        participant.address = known;
        this.#byKey.set(key.replace(` ${address}`, ` ${known}`), participant);
        this.#byPlace.set(flattenString(`${component} ${known}`), participant);
      } else if (kept !== participant && kept.namedAs === null) {
        this.merge(participant, kept, evidence);
        this.#byKey.set(key, kept);
      }
    }
    this.#forgetAgents();
  }
}

function listIn<V>(lists: Map<string, V[]>, key: string): V[] {
  let list = lists.get(key);
  if (list === undefined) {
    list = [];
    lists.set(key, list);
  }
  return list;
}

const HOST_PROGRAMS = ['kubelet', 'kube-proxy', 'container-runtime'];
/** Limit: programs: a cluster of 1,000 nodes has some 10,000; a flood of invented agents must not grow without end. 2 KiB each. */
const MAX_PARTICIPANTS = 20_000;
