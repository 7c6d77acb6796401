// Makes what the interpreters share: the trackers, each of which remembers one thing across exchanges, and the emitter.

import type { Redaction } from '../redaction/redaction.js';
import { serverRoles } from './api/server-roles.js';
import { CausalityTracker } from './causality/causality.js';
import { Causes } from './causality/cause.js';
import { ControllerRows, type ControllerRule } from './causality/controllers.js';
import { RelatedObjects } from './causality/related-objects.js';
import { Watches } from './causality/watches.js';
import { LostTimes } from './exchange-times.js';
import { RpcClientIdentity } from './grpc/client-identity.js';
import { RpcCausality } from './grpc/rpc-causality.js';
import { Aggregation } from './hops/aggregation.js';
import { ImagePulls } from './hops/image-pulls.js';
import { PodStreams } from './hops/pod-streams.js';
import { Proxies } from './hops/proxies.js';
import { ServedRequests } from './hops/served-requests.js';
import { Webhooks } from './hops/webhooks/webhooks.js';
import { ClientAuthentication } from './identity/authentication.js';
import { ClientCertificates } from './identity/client-certificates.js';
import { NodeEvidence } from './identity/node-evidence.js';
import { type NamingRule, ParticipantRegistry } from './identity/participant-registry.js';
import { ConnectionUserAgents, ProcessGrouping } from './identity/process-grouping.js';
import { Users } from './identity/users/users.js';
import { Inference } from './inference/inference.js';
import { MessageEmitter } from './messages/message-emitter.js';
import { Addresses } from './network/addresses.js';
import { SocketOwners } from './network/socket-owners.js';
import { ObjectObserver } from './objects/body-objects.js';

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
