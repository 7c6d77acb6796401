// Learns from requests which node a per-node component serves, and from a Lease that a controller runs.

import type { RequestInfo } from '../../api/request-info.js';
import { type ExchangeContext, ExchangeState } from '../../messages/exchange-context.js';
import { componentNamed, electsLeader } from '../../participants/components.js';
import { proven } from '../../participants/participant-record.js';
import type { ClientAuthentication } from './authentication.js';
import type { ParticipantRegistry } from './participant-registry.js';

/** Retracts what a request showed of its client's node, until the exchange ends. */
const RETRACTIONS = new ExchangeState<() => void>();

export class NodeEvidence {
  readonly #participants: ParticipantRegistry;
  readonly #authentication: ClientAuthentication;

  constructor(participants: ParticipantRegistry, authentication: ClientAuthentication) {
    this.#participants = participants;
    this.#authentication = authentication;
  }

  /** A component that runs on each node requests its own node by name; a kubelet's certificate has it. @param frame of the request. */
  observeRequest(context: ExchangeContext, frame: number): void {
    const { client, info, target, connection } = context;
    if (info !== null && electsLeader(client.component, info)) client.find().observeElection(frame);
    if (info === null || componentNamed(client.component)?.perNode !== true) return;
    const certified = client.component === 'kubelet' ? this.#authentication.nodeOf(connection.id) : null;
    if (certified !== null) {
      const shown = proven(`shows the certificate of system:node:${certified}`, frame);
      this.#participants.learnNode(client, certified, shown, connection.id);
      return;
    }
    const selected = NODE_SELECTOR.exec(target ?? '')?.[1];
    const requested = isNodesOwn(info) && info.verb !== 'delete' ? info.name : undefined;
    const node = selected ?? requested;
    if (node === undefined) return;
    const claim = selected === undefined ? `requests ${info.resource} ${node}` : `watches what is on ${node}`;
    const retract = this.#participants.learnNode(client, node, proven(claim, frame), connection.id);
    RETRACTIONS.set(context, retract ?? undefined);
  }

  /**
   * A request that is refused shows nothing of its client; a request from before the capture is known by its response.
   * @param frame of the response.
   */
  observeResponse(context: ExchangeContext, status: number | undefined, frame: number): void {
    if (status === 401 || status === 403) RETRACTIONS.of(context)?.();
    else if (context.isMidSession) this.observeRequest(context, frame);
  }
}

function isNodesOwn({ resource, namespace }: RequestInfo): boolean {
  if (resource === 'nodes' || resource === 'csinodes') return true;
  return resource === 'leases' && namespace === 'kube-node-lease';
}

const NODE_SELECTOR = /[?&]fieldSelector=(?:[^&]*(?:%2C|,))?spec\.nodeName(?:%3D|=)+([A-Za-z0-9.-]+)/i;
