// Who speaks: joins what is learnt of a program (its User-Agent, its address, its node, what it answers) to one Speaker.
// Evidence grows: a kubelet gets its node's name when it first asks for it, and pictures drawn afterwards use the better
// name. Knows components and addresses, nothing of exchanges or pictures.

import { keep } from '../core/bounded.js';
import { inOnePiece } from '../core/bytes.js';
import type { Endpoint } from '../packet/segment.js';
import type { Asker } from './askers.js';
import { API_SERVER, componentNamed, PROXY, readUserAgent } from './components.js';
import { HostAddresses } from './host-addresses.js';
import { addressOf, hostOf, LOCALHOST, sameHost } from './hosts.js';
import { MutableSpeaker, programOf } from './known-speakers.js';
import { Listeners } from './listeners.js';
import type { Speaker } from './message.js';
import { NodePrograms } from './node-programs.js';

export interface Speakers {
  /** The program behind a request: by its User-Agent, else by its address. */
  client(address: string, userAgent: string | undefined, frame: number): Speaker;
  /** The program behind a request, by what it proved to be. */
  asker(address: string, userAgent: string | undefined, asker: Asker, frame: number): Speaker;
  /**
   * The receiver of a stream that was opened before the capture, of one connection: whoever turns out to be the only
   * program that asks from its address and to watch what it receives, else unknown.
   */
  listener(connection: number, address: string, frame: number): Speaker;
  /** The program behind a connection that did not say so itself. @param evidence in words, with the frame. */
  concluded(component: string, address: string, evidence: string): Speaker;
  /** What has connections of its own between a client and a server, and changes nothing of what passes. @param how that is known. */
  proxy(address: string, how: string, frame: number): Speaker;
  /**
   * The program that answers as `component` at an address; the same for all of its ports.
   * @param on the address in the packets, where that is a loopback of it.
   */
  server(component: string, address: string, port: number, frame: number, on?: string): Speaker;
  /** A server that the API server asks: many can answer on one address. */
  extension(known: Extension): Speaker;
  /** The API server that asks another server on a client's behalf: the User-Agent may be that client's. @param how that is known. */
  relay(address: string, userAgent: string | undefined, frame: number, how: string): Speaker;
  /** That program at the other end of a connection: on an address of several nodes it is another one than elsewhere. */
  onConnection(speaker: Speaker, connection: number): Speaker;
  /** The node that a per-node program was found to serve. @param connection over which it showed. @returns takes it back; null: not new. */
  learnNode(speaker: Speaker, node: string, how: string, connection?: number): (() => void) | null;
  /** A Node says that an address is its own: what answers there is that node's. */
  nodeIsAt(node: string, address: string, frame: number): void;
  /** null: not known, or not a program of one node. */
  nodeOf(speaker: Speaker): string | null;
  learn(speaker: Speaker, how: string): void;
  /** Two turned out to be one program, known by two addresses: the first is called as the second from now on. */
  same(speaker: Speaker, known: Speaker, how: string): void;
  /** What was taken for a `component` because of what it answers is another program, if nothing else was known of it. */
  mistaken(component: string, place: Endpoint, is: Speaker, how: string): void;
  all(): readonly Speaker[];
  /** A user's own rule names it: that wins over everything. */
  isFixed(speaker: Speaker): boolean;
  /** Does a program that runs on hosts, once on each, speak from there? */
  isHost(address: string): boolean;
  /** The number of one more participant that is told apart elsewhere. */
  newId(): number;
}

/** A webhook, an aggregated API server. */
export interface Extension {
  readonly component: string;
  /** Where it is asked: tells it from others of its component. */
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
export function speakers(rules: readonly NamingRule[] = []): Speakers {
  const byKey = new Map<string, MutableSpeaker>();
  const instances = new Map<string, MutableSpeaker[]>();
  const clients = new Map<string, MutableSpeaker[]>();
  const listeners = new Listeners();
  const hosts = new HostAddresses();
  /** By User-Agent and address: what nearly every request asks for, found without making a text. */
  const byAgent = new Map<string, Map<string, MutableSpeaker>>();
  /** The first of a component on an address. */
  const byPlace = new Map<string, MutableSpeaker>();
  let agents = 0;
  let opened = 0;
  let lastId = 0;

  const newId = (): number => {
    lastId += 1;
    return lastId;
  };

  // Messages that were made keep their speakers; who speaks again is met anew.
  const forget = (): void => {
    // A name depends on the first of its component and on whether there is another: the rest need not be held by them.
    for (const siblings of instances.values()) siblings.length = Math.min(siblings.length, 2);
    for (const known of [byKey, byAgent, byPlace, instances, clients]) known.clear();
    opened = 1;
  };

  const open = (key: string, component: string, address: string, evidence: string): MutableSpeaker => {
    opened += 1;
    if (opened > MAX_SPEAKERS) forget();
    const id = newId();
    let siblings = instances.get(component);
    if (siblings === undefined) {
      siblings = [];
      instances.set(component, siblings);
    }
    const speaker = new MutableSpeaker(id, component, address, siblings, [evidence]);
    byKey.set(inOnePiece(key), speaker);
    siblings.push(speaker);
    const place = `${component} ${address}`;
    if (!byPlace.has(place)) byPlace.set(inOnePiece(place), speaker);
    return speaker;
  };

  const clientsAt = (host: string): MutableSpeaker[] => {
    const known = clients.get(host);
    if (known !== undefined) return known;
    const none: MutableSpeaker[] = [];
    clients.set(host, none);
    return none;
  };

  /** Programs of the host itself. */
  const programsAt = (address: string): MutableSpeaker[] =>
    HOST_PROGRAMS.flatMap((component) => byPlace.get(`${component} ${hosts.hostAt(address)}`) ?? []);

  const nodePrograms = new NodePrograms(clientsAt, ({ component, address }, which, evidence) => {
    const opened = open(`${component} ${address} ${which}`, component, address, evidence);
    clientsAt(address).push(opened);
    return opened;
  });

  // One that is known by loopback is the first of its component: all that come later are taken for it.
  const siblingAt = (component: string, host: string, serving: boolean): MutableSpeaker | undefined => {
    const siblings = instances.get(component);
    if (siblings === undefined || sameHost(siblings[0].address, host, serving)) return siblings?.[0];
    return serving ? siblings.find((one) => sameHost(one.address, host, serving)) : byPlace.get(`${component} ${host}`);
  };

  const processAt = (component: string, address: string, evidence: string, serving: boolean): MutableSpeaker => {
    const host = hosts.hostAt(address);
    const key = `${component} ${host}`;
    let speaker = byKey.get(key);
    if (speaker === undefined && componentNamed(component)?.perNode !== true) {
      speaker = siblingAt(component, host, serving);
      if (speaker?.address === LOCALHOST) {
        speaker.address = host;
        byPlace.set(key, speaker);
      }
    }
    if (speaker === undefined) {
      const opened = open(key, component, host, evidence);
      opened.asks = !serving;
      if (!serving) clientsAt(host).push(opened);
      return opened;
    }
    speaker.learn(evidence);
    if (!serving) speaker.asks = true;
    return remember(byKey, key, speaker);
  };

  const byRule = (address: string, userAgent: string | undefined, frame: number): MutableSpeaker | undefined => {
    const rule = rules.find((one) => one.matches(address, userAgent));
    if (rule === undefined) return undefined;
    const key = `rule ${rule.name}`;
    const speaker =
      byKey.get(key) ??
      open(key, rule.component ?? rule.name, address, `named by a participants rule (frame ${frame})`);
    speaker.fixedName = rule.name;
    return speaker;
  };

  /** One host speaks by the addresses of both families. */
  const atOther = (key: string, address: string, frame: number): MutableSpeaker | undefined => {
    const known = byKey.get(key);
    known?.learn(`${address} is another address of the same host (frame ${frame})`);
    return known;
  };

  /** Programs that were told apart by two addresses of a host are the same. @param how that is known. */
  const joinHosts = (address: string, known: string, how: string): void => {
    for (const [key, speaker] of [...byKey]) {
      if (speaker.address !== address || speaker.fixedName !== null) continue;
      const { component, manager } = speaker;
      const anonymous = component === `client ${address}`;
      const kept =
        manager === null
          ? byKey.get(anonymous ? `client ${known}` : `${component} ${known}`)
          : byKey.get(`${manager.component} ${known} ${component}`);
      if (kept === undefined) {
        if (anonymous) continue;
        // It is known by the host's address from here on.
        speaker.address = known;
        byKey.set(key.replace(` ${address}`, ` ${known}`), speaker);
        keep(byPlace, inOnePiece(`${component} ${known}`), speaker, MAX_SPEAKERS);
      } else if (kept !== speaker && kept.sameAs === null) {
        speaker.sameAs ??= kept;
        kept.learn(how);
        byKey.set(key, kept);
      }
    }
    byAgent.clear();
    agents = 0;
  };

  const clientOf = (address: string, userAgent: string | undefined, frame: number): MutableSpeaker => {
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
    const evidence = inOnePiece(`User-Agent ${userAgent} (frame ${frame})`);
    const process = processAt(component, address, evidence, false);
    nodePrograms.place(process);
    if (controller === null) return remember(byKey, key, process);
    const host = hosts.hostAt(address);
    const controllerKey = `${component} ${host} ${controller}`;
    const speaker = byKey.get(controllerKey) ?? open(controllerKey, controller, host, evidence);
    speaker.manager = process;
    return remember(byKey, key, speaker);
  };

  return {
    client(address, userAgent, frame) {
      const agent = userAgent ?? '';
      let onAddress = byAgent.get(agent);
      const known = onAddress?.get(address);
      if (known !== undefined) return known;
      const speaker = clientOf(address, userAgent, frame);
      onAddress = byAgent.get(agent);
      if (onAddress === undefined) {
        onAddress = new Map();
        byAgent.set(agent, onAddress);
      }
      onAddress.set(address, speaker);
      agents += 1;
      if (agents > MAX_SPEAKERS) {
        agents = 0;
        byAgent.clear();
      }
      return speaker;
    },
    asker(address, userAgent, { component, why }, frame) {
      const key = `${component} asks from ${address}`;
      const known = byRule(address, userAgent, frame) ?? byKey.get(key);
      if (known !== undefined) return known;
      return remember(byKey, key, processAt(component, address, inOnePiece(`${why} (frame ${frame})`), false));
    },
    listener(connection, address, frame) {
      const host = hosts.hostAt(address);
      return listeners.of(connection, address, frame, host, clientsAt(host), newId);
    },
    relay(address, userAgent, frame, how) {
      const known = byKey.get(`${API_SERVER} at ${address}`) ?? byKey.get(`${API_SERVER} ${hostOf(address)}`);
      if (known !== undefined) return known;
      const program = readUserAgent(userAgent ?? '').component;
      // A tool of somebody's own may ask a kubelet itself; kubectl never does.
      if (program !== null && program !== 'kubectl') return this.client(address, userAgent, frame);
      const evidence = `${how} (frame ${frame})`;
      const speaker = byRule(address, undefined, frame) ?? processAt(API_SERVER, address, evidence, true);
      return remember(byKey, `${API_SERVER} at ${address}`, speaker);
    },
    proxy(address, how, frame) {
      const key = `${PROXY}${address}`;
      const evidence = `${how} (frame ${frame})`;
      return byKey.get(key) ?? byRule(address, undefined, frame) ?? open(key, key, hostOf(address), evidence);
    },
    concluded: (component, address, evidence) => processAt(component, address, evidence, false),
    server(component, address, port, frame, on = address) {
      const key = `${component} at ${address}`;
      const known = byKey.get(key);
      if (known !== undefined) {
        known.serves(port);
        return known;
      }
      const evidence = inOnePiece(`answers as ${component} on ${on} port ${port} (frame ${frame})`);
      const speaker = byRule(address, undefined, frame) ?? processAt(component, address, evidence, true);
      speaker.serves(port);
      nodePrograms.answers(speaker);
      return remember(byKey, key, speaker);
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
    onConnection: (speaker, connection) => nodePrograms.on(speaker, connection),
    learnNode: (speaker, node, how, connection) => nodePrograms.learn(speaker, node, how, connection),
    nodeOf: (speaker) => programOf(speaker.process)?.node ?? null,
    same(speaker, known, how) {
      if (!(speaker instanceof MutableSpeaker) || !(known instanceof MutableSpeaker)) return;
      if (speaker === known || speaker.sameAs !== null || known.sameAs !== null) return;
      speaker.sameAs = known;
      known.learn(how);
    },
    mistaken(component, place, is, how) {
      const taken = byKey.get(`${component} at ${addressOf(place)}`);
      if (taken?.onlyServes(place.port) === true) this.same(taken, is, how);
    },
    learn: (speaker, how) => programOf(speaker)?.learn(how),
    all: () => [...new Set(byKey.values())].filter(({ sameAs }) => sameAs === null),
    isFixed: (speaker) => programOf(speaker)?.fixedName != null,
    isHost: (address) => programsAt(address).length > 0,
    newId,
  };
}

function remember(byKey: Map<string, MutableSpeaker>, key: string, speaker: MutableSpeaker): MutableSpeaker {
  keep(byKey, inOnePiece(key), speaker, MAX_SPEAKERS);
  return speaker;
}

const HOST_PROGRAMS = ['kubelet', 'kube-proxy', 'container-runtime'];
/** A cluster of 1,000 nodes has some 10,000; a flood of invented agents must not grow without end. 2 KiB each. */
const MAX_SPEAKERS = 20_000;
