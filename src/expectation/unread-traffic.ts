// Decides whether an arrow may be in traffic that could not be decoded, by the addresses and ports of the unread
// connections. An expectation with such an arrow neither passes nor fails.

import { dictionary } from '../core/collections/dictionary.js';
import { addToSet } from '../core/collections/multimap.js';
import { clientOf, hostOf, serverOf } from '../core/connection-name.js';
import type { UnreadPlace } from '../diagram/unread-places.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import type { CheckFailure, CheckVerdict } from './check.js';
import type { Diagram } from './syntax/diagram.js';
import { SOFT } from './syntax/markup.js';
import { compilePattern } from './syntax/pattern.js';

export type TrafficKind = Message['kind'];

export class UnreadTraffic {
  readonly #places: readonly UnreadPlace[];
  /** Address and port → participants that answer there. */
  readonly #servers = new Map<string, Set<Participant>>();
  /** Address → participants that send requests from there. */
  readonly #clients = new Map<string, Set<Participant>>();

  /** @param messages of the whole observation, selected or not. */
  constructor(places: readonly UnreadPlace[], messages: readonly Message[]) {
    this.#places = places;
    if (places.length === 0) return;
    for (const { kind, connection, from, to } of messages) {
      const isAsked = kind === 'request';
      if (kind === 'data' || kind === 'end') continue;
      addToSet(this.#servers, serverOf(connection), isAsked ? to : from);
      addToSet(this.#clients, hostOf(clientOf(connection)), isAsked ? from : to);
    }
  }

  /**
   * Unread connections that may contain a message between two participants, whose names may have wildcards.
   * @param kind of the message: a request goes to the server; `data` may go either way.
   */
  placesOf(from: string, to: string, kind: TrafficKind): readonly UnreadPlace[] {
    if (this.#places.length === 0) return [];
    const [sender, receiver] = [matcherOf(from), matcherOf(to)];
    return this.#places.filter((place) => {
      const isForward = kind !== 'response' && kind !== 'event' && this.#isBetween(place, sender, receiver);
      return isForward || (kind !== 'request' && this.#isBetween(place, receiver, sender));
    });
  }

  #isBetween({ ends }: UnreadPlace, client: ExpectedTraffic, server: ExpectedTraffic): boolean {
    // Skipped packets may belong to any connection.
    return ends === null || (this.#mayServe(server, ends.server) && this.#mayRequest(client, ends.client));
  }

  #mayServe(wanted: ExpectedTraffic, server: string): boolean {
    const known = this.#servers.get(server);
    if (known !== undefined) return [...known].some(wanted);
    // A participant that answers elsewhere, on another port, is not expected here.
    const usual = PORTS[server.slice(hostOf(server).length + 1)];
    if (usual === undefined) return this.#isUnseen(wanted, NONE);
    const isUsual = usual.some((name) => wanted({ name, component: name }));
    // Many servers use this port. A server of the cluster that is captured elsewhere has no public address.
    if (isUsual && (usual.length === 1 || OF_A_NETWORK.test(server))) return true;
    return this.#isUnseen(wanted, isUsual ? NONE : PLACED);
  }

  #isUnseen(wanted: ExpectedTraffic, elsewhere: readonly string[]): boolean {
    if (elsewhere.some((name) => wanted({ name, component: name }))) return false;
    return ![...this.#servers.values()].some((participants) => [...participants].some(wanted));
  }

  #mayRequest(wanted: ExpectedTraffic, client: string): boolean {
    const host = hostOf(client);
    let isSeen = false;
    for (const [address, participants] of this.#clients) {
      if (![...participants].some(wanted)) continue;
      if (address === host || (LOOPBACK.test(address) && LOOPBACK.test(host))) return true;
      isSeen = true;
    }
    return !isSeen;
  }
}

type NamedParticipants = Pick<Participant, 'name' | 'component'> & { readonly process?: NamedParticipants };
type ExpectedTraffic = (one: NamedParticipants) => boolean;

function matcherOf(name: string): ExpectedTraffic {
  const pattern = compilePattern(name.replaceAll(SOFT, ' '), []);
  const fits = ({ name: own, component }: NamedParticipants): boolean => pattern.fits(own) || pattern.fits(component);
  // `kubelet (node-1)` on a port of kubelets: which kubelet it is is unknown.
  const [, program] = /^(.*?) \(.*\)$/s.exec(name) ?? [];
  return (one) =>
    fits(one) ||
    (one.process !== undefined && fits(one.process)) ||
    (one.name === one.component && one.name === program);
}

/** Kubernetes documentation, "Ports and Protocols"; k3s, MicroK8s; Docker's daemon and registry. */
const PORTS: Readonly<Partial<Record<string, readonly string[]>>> = dictionary({
  '443': ['kube-apiserver', 'webhook', 'registry', 'aggregated-apiserver'],
  '6443': ['kube-apiserver'],
  '8443': ['kube-apiserver', 'webhook'],
  '16443': ['kube-apiserver'],
  '2379': ['etcd'],
  '2380': ['etcd'],
  '10250': ['kubelet'],
  '10255': ['kubelet'],
  '2375': ['docker'],
  '2376': ['docker'],
  '5000': ['registry'],
});
/** IANA special-purpose addresses (RFC 6890): private, shared, loopback, link-local, documentation. */
const OF_A_NETWORK =
  /^(?:10|127|169\.254|192\.168|192\.0\.2|198\.51\.100|203\.0\.113|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[789]\d|1[01]\d|12[0-7]))\.|^(?:::1:|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|2001:db8:)/;
/** One host has several such addresses (RFC 1122, RFC 4291), and a server asks itself at any of them. */
const LOOPBACK = /^(?:127\.|\[?::1\]?$)/;
const PLACED: readonly string[] = [...new Set(Object.values(PORTS).flatMap((names) => names ?? []))];
const NONE: readonly string[] = [];

export interface UndecidedExpectation {
  /** 1-based line of the arrow. */
  readonly line: number;
  readonly places: readonly UnreadPlace[];
}

/**
 * @param verdict with all failures: a failure that unread traffic cannot explain decides.
 * @returns the arrows that may be in unread traffic; empty: the verdict stands.
 */
export function undecidedIn(
  diagram: Diagram,
  verdict: CheckVerdict,
  unread: UnreadTraffic,
): readonly UndecidedExpectation[] {
  const explained = failuresUnread(diagram, verdict, unread);
  if (verdict.failures.length > 0) return explained.length < verdict.failures.length ? [] : explained;
  return diagram.nevers.flatMap((never) => explanationOf(never, diagram, unread));
}

/** The failures of a verdict that may be in unread traffic. */
export function failuresUnread(
  diagram: Diagram,
  { failures }: CheckVerdict,
  unread: UnreadTraffic,
): readonly UndecidedExpectation[] {
  return failures.flatMap(({ kind, text }) => (kind === 'missing' ? explanationOf(text, diagram, unread) : []));
}

function explanationOf(
  { line, from, to, label, isCut }: CheckFailure['text'],
  diagram: Diagram,
  unread: UnreadTraffic,
): UndecidedExpectation[] {
  const places = unread.placesOf(nameOf(from, diagram), nameOf(to, diagram), isCut ? 'end' : kindOf(label));
  return places.length === 0 ? [] : [{ line, places }];
}

function nameOf(id: string, { participants }: Diagram): string {
  return participants.get(id)?.name ?? id;
}

function kindOf(label: string): TrafficKind {
  const [, kind = ''] = /^\[([A-Z-]+)\]/.exec(label) ?? [];
  if (kind === 'REQ' || kind === 'RPC') return 'request';
  if (kind === 'DATA') return 'data';
  return kind.endsWith('CHUNK') ? 'event' : 'response';
}
