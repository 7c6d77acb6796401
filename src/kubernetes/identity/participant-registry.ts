// Joins what is learnt of a program (its User-Agent, address, node, and what it serves) into one participant. Evidence grows: a kubelet
// gets its node's name when it first requests its Node, and diagrams drawn later use the better name.

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedMap } from '../../core/collections/bounded.js';
import type { Endpoint } from '../../packet/segment.js';
import type { Participant } from '../messages/message.js';
import { DualStackHosts } from '../network/dual-stack-hosts.js';
import type { UserIdentity } from './authentication.js';
import { API_SERVER, componentNamed, PROXY, readUserAgent } from './components.js';
import { addressOf, hostOf, LOCALHOST, sameHost } from './hosts.js';
import { PerNodeComponents } from './per-node-components.js';
import { ProcessParticipant, programOf } from './process-participant.js';
import { UnidentifiedWatchers } from './unidentified-watchers.js';

export interface ParticipantRegistry {
  /** The program behind a request: by its User-Agent, else by its address. */
  client(address: string, userAgent: string | undefined, frame: number): Participant;
  /** The program behind a request, by its credentials. */
  authenticatedClient(
    address: string,
    userAgent: string | undefined,
    authenticatedClient: UserIdentity,
    frame: number,
  ): Participant;
  /**
   * The receiver of a stream that was opened before the capture, of one connection: whoever turns out to be the only
   * program that asks from its address and to watch what it receives, else unknown.
   */
  watcher(connection: number, address: string, frame: number): Participant;
  /** The program behind a connection that does not name itself. @param evidence in words, with the frame. */
  concludedAs(component: string, address: string, evidence: string): Participant;
  /** A proxy with connections of its own between client and server, which passes everything unchanged. @param how that is known. */
  proxy(address: string, how: string, frame: number): Participant;
  /**
   * The program that answers as `component` at an address; the same for all of its ports.
   * @param on the address in the packets, where that is a loopback of it.
   */
  server(component: string, address: string, port: number, frame: number, on?: string): Participant;
  /** A server that the API server calls: many can answer on one address. */
  extension(known: Extension): Participant;
  /** The API server that sends to another server on a client's behalf: the User-Agent may be the client's. @param how that is known. */
  relay(address: string, userAgent: string | undefined, frame: number, how: string): Participant;
  /** That program at the other end of a connection: on an address of several nodes it is another one than elsewhere. */
  onConnection(participant: Participant, connection: number): Participant;
  /** The node that a per-node program was found to serve. @param connection over which it showed. @returns takes it back; null: not new. */
  learnNode(participant: Participant, node: string, how: string, connection?: number): (() => void) | null;
  /** A Node lists an address as its own: what answers there is that node's. */
  nodeIsAt(node: string, address: string, frame: number): void;
  /** null: not known, or not a program of one node. */
  nodeOf(participant: Participant): string | null;
  addEvidence(participant: Participant, how: string): void;
  /** Two turned out to be one program, known by two addresses: the first is called as the second from now on. */
  merge(participant: Participant, known: Participant, how: string): void;
  /** A participant taken for a `component` because of what it serves is another program, if nothing else was known of it. */
  reassign(component: string, place: Endpoint, is: Participant, how: string): void;
  all(): readonly Participant[];
  /** A user's own rule names it: that wins over everything. */
  isFixed(participant: Participant): boolean;
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
  readonly evidence: string;
  readonly frame: number;
}

export interface NamingRule {
  readonly name: string;
  readonly component?: string;
  matches(address: string, userAgent: string | undefined): boolean;
}

/** @param rules a user's own names (`--participants`), which win over everything. */
export function participantRegistry(rules: readonly NamingRule[] = []): ParticipantRegistry {
  const byKey = new BoundedMap<string, ProcessParticipant>(MAX_SPEAKERS);
  const instances = new Map<string, ProcessParticipant[]>();
  const clients = new Map<string, ProcessParticipant[]>();
  const watchers = new UnidentifiedWatchers();
  const hosts = new DualStackHosts();
  /** By User-Agent and address: looked up by nearly every request without building a key. */
  const byAgent = new Map<string, Map<string, ProcessParticipant>>();
  /** The first of a component on an address. */
  const byPlace = new BoundedMap<string, ProcessParticipant>(MAX_SPEAKERS);
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

  const open = (key: string, component: string, address: string, evidence: string): ProcessParticipant => {
    opened += 1;
    if (opened > MAX_SPEAKERS) forget();
    const id = newId();
    let siblings = instances.get(component);
    if (siblings === undefined) {
      siblings = [];
      instances.set(component, siblings);
    }
    const participant = new ProcessParticipant(id, component, address, siblings, [evidence]);
    byKey.set(flattenString(key), participant);
    siblings.push(participant);
    const place = `${component} ${address}`;
    if (!byPlace.has(place)) byPlace.set(flattenString(place), participant);
    return participant;
  };

  const clientsAt = (host: string): ProcessParticipant[] => {
    const known = clients.get(host);
    if (known !== undefined) return known;
    const none: ProcessParticipant[] = [];
    clients.set(host, none);
    return none;
  };

  /** Programs of the host itself. */
  const programsAt = (address: string): ProcessParticipant[] =>
    HOST_PROGRAMS.flatMap((component) => byPlace.get(`${component} ${hosts.hostAt(address)}`) ?? []);

  const nodePrograms = new PerNodeComponents(clientsAt, ({ component, address }, which, evidence) => {
    const opened = open(`${component} ${address} ${which}`, component, address, evidence);
    clientsAt(address).push(opened);
    return opened;
  });

  // One that is known by loopback is the first of its component: all that come later are taken for it.
  const siblingAt = (component: string, host: string, serving: boolean): ProcessParticipant | undefined => {
    const siblings = instances.get(component);
    if (siblings === undefined || sameHost(siblings[0].address, host, serving)) return siblings?.[0];
    return serving ? siblings.find((one) => sameHost(one.address, host, serving)) : byPlace.get(`${component} ${host}`);
  };

  const processAt = (component: string, address: string, evidence: string, serving: boolean): ProcessParticipant => {
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
      opened.asks = !serving;
      if (!serving) clientsAt(host).push(opened);
      return opened;
    }
    participant.addEvidence(evidence);
    if (!serving) participant.asks = true;
    return remember(byKey, key, participant);
  };

  const byRule = (address: string, userAgent: string | undefined, frame: number): ProcessParticipant | undefined => {
    const rule = rules.find((one) => one.matches(address, userAgent));
    if (rule === undefined) return undefined;
    const key = `rule ${rule.name}`;
    const participant =
      byKey.get(key) ??
      open(key, rule.component ?? rule.name, address, `named by a participants rule (frame ${frame})`);
    participant.fixedName = rule.name;
    return participant;
  };

  /** One host has addresses of both families. */
  const atOther = (key: string, address: string, frame: number): ProcessParticipant | undefined => {
    const known = byKey.get(key);
    known?.addEvidence(`${address} is another address of the same host (frame ${frame})`);
    return known;
  };

  /** Programs at two addresses of one host are the same. @param how that is known. */
  const joinHosts = (address: string, known: string, how: string): void => {
    for (const [key, participant] of [...byKey]) {
      if (participant.address !== address || participant.fixedName !== null) continue;
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
      } else if (kept !== participant && kept.sameAs === null) {
        participant.sameAs ??= kept;
        kept.addEvidence(how);
        byKey.set(key, kept);
      }
    }
    byAgent.clear();
    agents = 0;
  };

  const clientOf = (address: string, userAgent: string | undefined, frame: number): ProcessParticipant => {
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
        open(anonymous, anonymous, hostOf(address), `no program named itself (frame ${frame})`);
      return remember(byKey, key, unknown);
    }
    const evidence = flattenString(`User-Agent ${userAgent} (frame ${frame})`);
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
      const key = `${component} asks from ${address}`;
      const known = byRule(address, userAgent, frame) ?? byKey.get(key);
      if (known !== undefined) return known;
      return remember(byKey, key, processAt(component, address, flattenString(`${why} (frame ${frame})`), false));
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
      const evidence = `${how} (frame ${frame})`;
      const participant = byRule(address, undefined, frame) ?? processAt(API_SERVER, address, evidence, true);
      return remember(byKey, `${API_SERVER} at ${address}`, participant);
    },
    proxy(address, how, frame) {
      const key = `${PROXY}${address}`;
      const evidence = `${how} (frame ${frame})`;
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
      const evidence = flattenString(`answers as ${component} on ${on} port ${port} (frame ${frame})`);
      const participant = byRule(address, undefined, frame) ?? processAt(component, address, evidence, true);
      participant.serves(port);
      nodePrograms.answers(participant);
      return remember(byKey, key, participant);
    },
    nodeIsAt(node, address, frame) {
      const known = hosts.nodeHas(node, address);
      if (known !== null) joinHosts(address, known, `Node ${node} has ${known} and ${address} (frame ${frame})`);
      nodePrograms.nodeIsAt(node, address, frame, programsAt(address));
    },
    extension({ component, key, name, address, evidence, frame }) {
      const known =
        byKey.get(`${component} ${key}`) ??
        byRule(address, undefined, frame) ??
        open(`${component} ${key}`, component, hostOf(address), evidence);
      if (known.component === component) known.fixedName = name;
      return known;
    },
    onConnection: (participant, connection) => nodePrograms.on(participant, connection),
    learnNode: (participant, node, how, connection) => nodePrograms.learn(participant, node, how, connection),
    nodeOf: (participant) => programOf(participant.process)?.node ?? null,
    merge(participant, known, how) {
      if (!(participant instanceof ProcessParticipant) || !(known instanceof ProcessParticipant)) return;
      if (participant === known || participant.sameAs !== null || known.sameAs !== null) return;
      participant.sameAs = known;
      known.addEvidence(how);
    },
    reassign(component, place, is, how) {
      const taken = byKey.get(`${component} at ${addressOf(place)}`);
      if (taken?.onlyServes(place.port) === true) this.merge(taken, is, how);
    },
    addEvidence: (participant, how) => programOf(participant)?.addEvidence(how),
    all: () => [...new Set(byKey.values())].filter(({ sameAs }) => sameAs === null),
    isFixed: (participant) => programOf(participant)?.fixedName != null,
    isHost: (address) => programsAt(address).length > 0,
    newId,
  };
}

function remember(
  byKey: Map<string, ProcessParticipant>,
  key: string,
  participant: ProcessParticipant,
): ProcessParticipant {
  byKey.set(flattenString(key), participant);
  return participant;
}

const HOST_PROGRAMS = ['kubelet', 'kube-proxy', 'container-runtime'];
/** A cluster of 1,000 nodes has some 10,000; a flood of invented agents must not grow without end. 2 KiB each. */
const MAX_SPEAKERS = 20_000;
