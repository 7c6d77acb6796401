// Makes what the interpreters share: the trackers, each of which remembers one thing across exchanges, and the emitter.

import type { Redaction } from '../redaction/redaction.js';
import { serverRoles } from './api/server-roles.js';
import { CausalityTracker } from './attributed/causality.js';
import { Causes } from './attributed/cause.js';
import { ControllerRows, type ControllerRule } from './attributed/controllers.js';
import { RelatedObjects } from './attributed/related-objects.js';
import { RpcCausality } from './attributed/rpc-causality.js';
import { Watches } from './attributed/watches.js';
import { Webhooks } from './attributed/webhooks/webhooks.js';
import { ObjectObserver } from './body-objects.js';
import { MessageEmitter } from './emitted/message-emitter.js';
import { LostTimes } from './observed/exchange-times.js';
import { Aggregation } from './placed/hops/aggregation.js';
import { ImagePulls } from './placed/hops/image-pulls.js';
import { PodStreams } from './placed/hops/pod-streams.js';
import { Proxies } from './placed/hops/proxies.js';
import { ServedRequests } from './placed/hops/served-requests.js';
import { ClientAuthentication } from './placed/identity/authentication.js';
import { ClientCertificates } from './placed/identity/client-certificates.js';
import { NodeEvidence } from './placed/identity/node-evidence.js';
import { type NamingRule, ParticipantRegistry } from './placed/identity/participant-registry.js';
import { ConnectionUserAgents, ProcessGrouping } from './placed/identity/process-grouping.js';
import { RpcClientIdentity } from './placed/identity/rpc-client-identity.js';
import { Users } from './placed/identity/users/users.js';
import { Inference } from './placed/mid-session/inference.js';
import { Addresses } from './placed/network/addresses.js';
import { SocketOwners } from './placed/network/socket-owners.js';

export interface InterpreterOptions {
  /** No text leaves the interpreter without it. */
  readonly redaction: Redaction;
  /** Messages keep what they refer to: their heads and bodies. */
  readonly bodies?: boolean;
  readonly naming?: readonly NamingRule[];
  /** The user's own controllers. */
  readonly controllers?: readonly ControllerRule[];
  /** How long, in ns of capture time, an event may be held for the response that shows its cause; 0 when live. */
  readonly holdNs?: bigint;
}

export type Trackers = ReturnType<typeof trackersOf>;

export function trackersOf({ redaction, bodies, naming, controllers, holdNs = DEFAULT_HOLD_NS }: InterpreterOptions) {
  const participants = new ParticipantRegistry(naming);
  const addresses = new Addresses({
    nextId: () => participants.newId(),
    isHost: (address) => participants.isHost(address),
    onNode: (node, address, frame) => participants.nodeIsAt(node, address, frame),
  });
  const relations = new RelatedObjects();
  const causality = new CausalityTracker(relations, new ControllerRows(controllers), (program) =>
    participants.watcherBeside(program),
  );
  const watches = new Watches(causality.reflectors);
  const served = new ServedRequests();
  const users = new Users();
  const authentication = new ClientAuthentication();
  const webhooks = new Webhooks(causality, users, redaction);
  const aggregation = new Aggregation(participants, served);
  const streams = new PodStreams(served);
  const emitter = new MessageEmitter(holdNs, redaction, bodies === true);
  return {
    redaction,
    /** No message is held for what comes later. */
    live: holdNs === 0n,
    emitter,
    participants,
    addresses,
    causality,
    causes: new Causes(watches, causality),
    watches,
    served,
    users,
    authentication,
    webhooks,
    aggregation,
    streams,
    proxies: new Proxies(participants, served),
    pulls: new ImagePulls(participants, served),
    inference: new Inference(participants, holdNs),
    rpcClients: new RpcClientIdentity(participants, aggregation),
    rpcCausality: new RpcCausality(causality, streams),
    nodeEvidence: new NodeEvidence(participants, authentication),
    bodyObjects: new ObjectObserver(addresses, webhooks, relations, emitter),
    userAgents: new ConnectionUserAgents(),
    processes: new ProcessGrouping(),
    certificates: new ClientCertificates(),
    lostTimes: new LostTimes(),
    socketOwners: new SocketOwners(),
    serverRoles: serverRoles((address) => addresses.isWorkload(address)),
  };
}

/**
 * Limit in ns: capture time that an event waits for the response that has its cause: a write's response and its events leave the API
 * server within milliseconds; a second covers a busy one.
 */
const DEFAULT_HOLD_NS = 1_000_000_000n;
