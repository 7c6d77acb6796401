// Joins what is learnt of a program (its User-Agent, address, node, and what it serves) into one participant. Evidence grows: a kubelet
// gets its node's name when it first requests its Node, and diagrams drawn later use the better name.

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedMap } from '../../core/collections/bounded.js';
import type { Endpoint } from '../../packet/segment.js';
import { DualStackHosts } from '../network/dual-stack-hosts.js';
import type { UserIdentity } from './authentication.js';
import { API_SERVER, componentNamed, PROXY, readUserAgent } from './components.js';
import { addressOf, hostOf, LOCALHOST, sameHost } from './hosts.js';
import { type Evidence, ParticipantRecord, proven } from './participant-record.js';
import { PerNodeComponents } from './per-node-components.js';
import { UnidentifiedWatchers } from './unidentified-watchers.js';

export interface ParticipantRegistry {
  /** The program behind a request: by its User-Agent, else by its address. */
  client(address: string, userAgent: string | undefined, frame: number): ParticipantRecord;
  /** The program behind a request, by its credentials. */
  authenticatedClient(
    address: string,
    userAgent: string | undefined,
    authenticatedClient: UserIdentity,
    frame: number,
  ): ParticipantRecord;
  /**
   * The receiver of a stream that was opened before the capture, of one connection: the program that turns out to be the only
   * one that sends from its address and to watch what it receives, else unknown.
   */
  watcher(connection: number, address: string, frame: number): ParticipantRecord;
  /** The program behind a connection that does not name itself. */
  concludedAs(component: string, address: string, evidence: Evidence): ParticipantRecord;
  /** A proxy with connections of its own between client and server, which passes everything unchanged. @param how that is known. */
  proxy(address: string, how: string, frame: number): ParticipantRecord;
  /**
   * The program that answers as `component` at an address; the same for all of its ports.
   * @param on the address in the packets, where that is a loopback of it.
   */
  server(component: string, address: string, port: number, frame: number, on?: string): ParticipantRecord;
  /** A server that the API server calls: many can answer on one address. */
  extension(known: Extension): ParticipantRecord;
  /** The API server that sends to another server on a client's behalf: the User-Agent may be the client's. @param how that is known. */
  relay(address: string, userAgent: string | undefined, frame: number, how: string): ParticipantRecord;
  /** That program at the other end of a connection: on an address of several nodes it is another one than elsewhere. */
  onConnection(program: ParticipantRecord, connection: number): ParticipantRecord;
  /** The node that a per-node program was found to serve. @param connection over which it showed. @returns takes it back; null: not new. */
  learnNode(participant: ParticipantRecord, node: string, evidence: Evidence, connection?: number): (() => void) | null;
  /** A Node lists an address as its own: what answers there is that node's. */
  nodeIsAt(node: string, address: string, frame: number): void;
  /** Two records are one program, known by two addresses: the first is named as the second from now on. */
  merge(participant: ParticipantRecord, known: ParticipantRecord, evidence: Evidence): void;
  /** A participant taken for a `component` because of what it serves is another program, if nothing else was known of it. */
  reassign(component: string, place: Endpoint, is: ParticipantRecord, evidence: Evidence): void;
  all(): readonly ParticipantRecord[];
  /** Whether a per-node component sends from an address. */
  isHost(address: string): boolean;
  /** The id of a participant that another registry tells apart. */
  newId(): number;
}

/** A webhook, an aggregated API server. */
export interface Extension {
  readonly component: string;
  /** Where it serves: tells it from others of its component. */
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

/** @param rules a user's own names (`--participants`), which win over everything. */
export function participantRegistry(rules: readonly NamingRule[] = []): ParticipantRegistry {
  const byKey = new BoundedMap<string, ParticipantRecord>(MAX_SPEAKERS);
  const instances = new Map<string, ParticipantRecord[]>();
  const clients = new Map<string, ParticipantRecord[]>();
  const watchers = new UnidentifiedWatchers();
  const hosts = new DualStackHosts();
  /** By User-Agent and address: looked up by nearly every request without building a key. */
  const byAgent = new Map<string, Map<string, ParticipantRecord>>();
  /** The first of a component on an address. */
  const byPlace = new BoundedMap<string, ParticipantRecord>(MAX_SPEAKERS);
  let agents = 0;
  let opened = 0;
  let lastId = 0;

  const newId = (): number => {
    lastId += 1;
    return lastId;
  };

  // Existing messages keep their participants; a forgotten program that sends again becomes a new one.
  const forget = (): void => {
    // A name depends on the first of its component and on whether there is another: the rest need not be held by them.
    for (const siblings of instances.values()) siblings.length = Math.min(siblings.length, 2);
    for (const known of [byKey, byAgent, byPlace, instances, clients]) known.clear();
    opened = 1;
  };

  const open = (key: string, component: string, address: string, evidence: Evidence): ParticipantRecord => {
    opened += 1;
    if (opened > MAX_SPEAKERS) forget();
    const id = newId();
    let siblings = instances.get(component);
    if (siblings === undefined) {
      siblings = [];
      instances.set(component, siblings);
    }
    const participant = new ParticipantRecord(id, component, address, evidence);
    participant.siblings = siblings;
    byKey.set(flattenString(key), participant);
    siblings.push(participant);
    const place = `${component} ${address}`;
    if (!byPlace.has(place)) byPlace.set(flattenString(place), participant);
    return participant;
  };

  const clientsAt = (host: string): ParticipantRecord[] => {
    const known = clients.get(host);
    if (known !== undefined) return known;
    const none: ParticipantRecord[] = [];
    clients.set(host, none);
    return none;
  };

  /** Programs of the host itself. */
  const programsAt = (address: string): ParticipantRecord[] =>
    HOST_PROGRAMS.flatMap((component) => byPlace.get(`${component} ${hosts.hostAt(address)}`) ?? []);

  const nodePrograms = new PerNodeComponents(clientsAt, ({ component, address }, which, evidence) => {
    const opened = open(`${component} ${address} ${which}`, component, address, evidence);
    clientsAt(address).push(opened);
    return opened;
  });

  // One that is known by loopback is the first of its component: all that come later are taken for it.
  const siblingAt = (component: string, host: string, serving: boolean): ParticipantRecord | undefined => {
    const siblings = instances.get(component);
    if (siblings === undefined || sameHost(siblings[0].address, host, serving)) return siblings?.[0];
    return serving ? siblings.find((one) => sameHost(one.address, host, serving)) : byPlace.get(`${component} ${host}`);
  };

  const processAt = (component: string, address: string, evidence: Evidence, serving: boolean): ParticipantRecord => {
    const host = hosts.hostAt(address);
    const key = `${component} ${host}`;
    let participant = byKey.get(key);
    if (participant === undefined && componentNamed(component)?.perNode !== true) {
      participant = siblingAt(component, host, serving);
      if (participant?.address === LOCALHOST) {
        participant.address = host;
        byPlace.set(key, participant);
      }
    }
    if (participant === undefined) {
      const opened = open(key, component, host, evidence);
      opened.sendsRequests = !serving;
      if (!serving) clientsAt(host).push(opened);
      return opened;
    }
    participant.addEvidence(evidence);
    if (!serving) participant.sendsRequests = true;
    return remember(byKey, key, participant);
  };

  const byRule = (
    address: string,
    userAgent: string | undefined,
    frame: number | null,
  ): ParticipantRecord | undefined => {
    const rule = rules.find((one) => one.matches(address, userAgent));
    if (rule === undefined) return undefined;
    const key = `rule ${rule.name}`;
    const participant =
      byKey.get(key) ?? open(key, rule.component ?? rule.name, address, proven('named by a participants rule', frame));
    participant.givenName = rule.name;
    return participant;
  };

  /** One host has addresses of both families. */
  const atOther = (key: string, address: string, frame: number): ParticipantRecord | undefined => {
    const known = byKey.get(key);
    known?.addEvidence({ claim: `${address} is another address of the same host`, strength: 'address', frame });
    return known;
  };

  const merge = (participant: ParticipantRecord, known: ParticipantRecord, evidence: Evidence): void => {
    if (participant === known || participant.namedAs !== null || known.namedAs !== null) return;
    participant.namedAs = known;
    known.addEvidence(evidence);
  };

  /** Programs at two addresses of one host are the same. */
  const joinHosts = (address: string, known: string, evidence: Evidence): void => {
    for (const [key, participant] of [...byKey]) {
      if (participant.address !== address || participant.givenName !== null) continue;
      const { component, manager } = participant;
      const anonymous = component === `client ${address}`;
      const kept =
        manager === null
          ? byKey.get(anonymous ? `client ${known}` : `${component} ${known}`)
          : byKey.get(`${manager.component} ${known} ${component}`);
      if (kept === undefined) {
        if (anonymous) continue;
        // It is known by the host's address from here on.
        participant.address = known;
        byKey.set(key.replace(` ${address}`, ` ${known}`), participant);
        byPlace.set(flattenString(`${component} ${known}`), participant);
      } else if (kept !== participant && kept.namedAs === null) {
        merge(participant, kept, evidence);
        byKey.set(key, kept);
      }
    }
    byAgent.clear();
    agents = 0;
  };

  const clientOf = (address: string, userAgent: string | undefined, frame: number): ParticipantRecord => {
    const key = `${address} ${userAgent ?? ''}`;
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const named = byRule(address, userAgent, frame);
    if (named !== undefined) return remember(byKey, key, named);
    const { component, controller } = readUserAgent(userAgent ?? '');
    if (component === null) {
      const anonymous = `client ${address}`;
      const other = hosts.otherOf(address);
      const unknown =
        byKey.get(anonymous) ??
        (other === undefined ? undefined : atOther(`client ${other}`, address, frame)) ??
        open(anonymous, anonymous, hostOf(address), { claim: 'no program named itself', strength: 'address', frame });
      return remember(byKey, key, unknown);
    }
    const evidence = proven(flattenString(`User-Agent ${userAgent}`), frame);
    const process = processAt(component, address, evidence, false);
    nodePrograms.place(process);
    if (controller === null) return remember(byKey, key, process);
    const host = hosts.hostAt(address);
    const controllerKey = `${component} ${host} ${controller}`;
    const participant = byKey.get(controllerKey) ?? open(controllerKey, controller, host, evidence);
    participant.manager = process;
    return remember(byKey, key, participant);
  };

  return {
    client(address, userAgent, frame) {
      const agent = userAgent ?? '';
      let onAddress = byAgent.get(agent);
      const known = onAddress?.get(address);
      if (known !== undefined) return known;
      const participant = clientOf(address, userAgent, frame);
      onAddress = byAgent.get(agent);
      if (onAddress === undefined) {
        onAddress = new Map();
        byAgent.set(agent, onAddress);
      }
      onAddress.set(address, participant);
      agents += 1;
      if (agents > MAX_SPEAKERS) {
        agents = 0;
        byAgent.clear();
      }
      return participant;
    },
    authenticatedClient(address, userAgent, { component, why }, frame) {
      const key = `${component} sends from ${address}`;
      const known = byRule(address, userAgent, frame) ?? byKey.get(key);
      if (known !== undefined) return known;
      return remember(byKey, key, processAt(component, address, proven(why, frame), false));
    },
    watcher(connection, address, frame) {
      const host = hosts.hostAt(address);
      return watchers.of(connection, address, frame, host, clientsAt(host), newId);
    },
    relay(address, userAgent, frame, how) {
      const known = byKey.get(`${API_SERVER} at ${address}`) ?? byKey.get(`${API_SERVER} ${hostOf(address)}`);
      if (known !== undefined) return known;
      const program = readUserAgent(userAgent ?? '').component;
      // Custom tools may send to a kubelet themselves; kubectl never does.
      if (program !== null && program !== 'kubectl') return this.client(address, userAgent, frame);
      const evidence = proven(how, frame);
      const participant = byRule(address, undefined, frame) ?? processAt(API_SERVER, address, evidence, true);
      return remember(byKey, `${API_SERVER} at ${address}`, participant);
    },
    proxy(address, how, frame) {
      const key = `${PROXY}${address}`;
      const evidence = proven(how, frame);
      return byKey.get(key) ?? byRule(address, undefined, frame) ?? open(key, key, hostOf(address), evidence);
    },
    concludedAs: (component, address, evidence) => processAt(component, address, evidence, false),
    server(component, address, port, frame, on = address) {
      const key = `${component} at ${address}`;
      const known = byKey.get(key);
      if (known !== undefined) {
        known.serves(port);
        return known;
      }
      const evidence = proven(flattenString(`answers as ${component} on ${on} port ${port}`), frame);
      const participant = byRule(address, undefined, frame) ?? processAt(component, address, evidence, true);
      participant.serves(port);
      nodePrograms.answers(participant);
      return remember(byKey, key, participant);
    },
    nodeIsAt(node, address, frame) {
      const known = hosts.nodeHas(node, address);
      if (known !== null) joinHosts(address, known, proven(`Node ${node} has ${known} and ${address}`, frame));
      nodePrograms.nodeIsAt(node, address, frame, programsAt(address));
    },
    extension({ component, key, name, address, evidence }) {
      const known =
        byKey.get(`${component} ${key}`) ??
        byRule(address, undefined, evidence.frame) ??
        open(`${component} ${key}`, component, hostOf(address), evidence);
      if (known.component === component) known.givenName = name;
      return known;
    },
    onConnection: (program, connection) => nodePrograms.on(program, connection),
    learnNode: (participant, node, evidence, connection) => nodePrograms.learn(participant, node, evidence, connection),
    merge,
    reassign(component, place, is, evidence) {
      const taken = byKey.get(`${component} at ${addressOf(place)}`);
      if (taken?.onlyServes(place.port) === true) merge(taken, is, evidence);
    },
    all: () => [...new Set(byKey.values())].filter(({ namedAs }) => namedAs === null),
    isHost: (address) => programsAt(address).length > 0,
    newId,
  };
}

function remember(
  byKey: Map<string, ParticipantRecord>,
  key: string,
  participant: ParticipantRecord,
): ParticipantRecord {
  byKey.set(flattenString(key), participant);
  return participant;
}

const HOST_PROGRAMS = ['kubelet', 'kube-proxy', 'container-runtime'];
/** Limit: programs: a cluster of 1,000 nodes has some 10,000; a flood of invented agents must not grow without end. 2 KiB each. */
const MAX_SPEAKERS = 20_000;
