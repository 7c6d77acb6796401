// What is known of one exchange while it lasts: who speaks through which door about what. Made from the exchange's
// first event; knows no message numbers but its own request's.

import { fieldValue } from '../core/fields.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { ObjectRef, Write } from './causes.js';
import { componentNamed } from './components.js';
import type { Door, Doors } from './doors.js';
import type { Speaker } from './message.js';
import { type RequestInfo, requestInfo } from './request-info.js';
import type { Speakers } from './speakers.js';

export interface Talk {
  readonly number: number;
  readonly door: Door;
  /** Kubernetes requests only. */
  readonly info: RequestInfo | null;
  readonly client: Speaker;
  readonly server: Speaker;
  readonly userAgent: string | undefined;
  readonly target: string | undefined;
  requestSeq: number | undefined;
  /** ns since the epoch: last byte of the request. */
  requestEnd: bigint;
  /** What the request is about. */
  object: ObjectRef | undefined;
  write: Write | undefined;
  /** The synthetic start of a streaming list goes on. */
  initial: boolean;
}

export function openTalk(
  event: ExchangeEvent,
  number: number,
  known: { readonly doors: Doors; readonly speakers: Speakers; readonly redactTarget: (target: string) => string },
): Talk {
  const { exchange } = event;
  const { connection, request } = exchange;
  const frame = event.kind === 'over' ? event.at.frame : event.first.frame;
  const door = known.doors.doorOf(request, connection.server);
  const userAgent = request === null ? undefined : fieldValue(request.fields, 'user-agent');
  const { address: clientAddress } = connection.client;
  const client =
    request === null
      ? known.speakers.listener(clientAddress, frame)
      : known.speakers.client(clientAddress, userAgent, frame);
  const { address, port } = connection.server;
  const server =
    door.component === null
      ? known.speakers.client(address, undefined, frame)
      : known.speakers.server(door.component, address, port, frame);
  const info = door.protocol === 'kubernetes' ? infoOf(exchange) : null;
  const talk: Talk = {
    number,
    door,
    info,
    client,
    server,
    userAgent,
    target: request?.target == null ? undefined : known.redactTarget(request.target),
    requestSeq: undefined,
    requestEnd: 0n,
    object: undefined,
    write: undefined,
    initial: info?.watch === true && STREAMING_LIST.test(request?.target ?? ''),
  };
  if (info !== null) learnFromRequest(talk, known.speakers, frame);
  return talk;
}

/** `pods. default nginx`: resource and group, namespace, name. Subresources are about their object. */
export function objectKey(resource: string, group: string, namespace: string | undefined, name: string): string {
  return `${resource}.${group} ${namespace ?? ''} ${name}`;
}

function infoOf(exchange: Exchange): RequestInfo | null {
  const { request } = exchange;
  if (request === null || request.method === null || request.target === null) return null;
  return requestInfo(request.method, request.target);
}

/** A node's own programs ask for their node by name: that tells which node they serve. */
function learnFromRequest(talk: Talk, speakers: Speakers, frame: number): void {
  const { client, info, target } = talk;
  if (info === null || target === undefined || componentNamed(client.component)?.perNode !== true) return;
  const selected = NODE_SELECTOR.exec(target);
  if (selected !== null) {
    speakers.learnNode(client, selected[1], `watches what is on ${selected[1]} (frame ${frame})`);
  } else if (isNodesOwn(info) && info.name !== undefined && info.verb !== 'delete') {
    speakers.learnNode(client, info.name, `asks for ${info.resource} ${info.name} (frame ${frame})`);
  }
}

function isNodesOwn(info: RequestInfo): boolean {
  if (info.resource === 'nodes' || info.resource === 'csinodes') return true;
  return info.resource === 'leases' && info.namespace === 'kube-node-lease';
}

const STREAMING_LIST = /[?&]sendInitialEvents=(?:true|True|TRUE|t|T|1)(?:&|$)/;
const NODE_SELECTOR = /[?&]fieldSelector=(?:[^&]*(?:%2C|,))?spec\.nodeName(?:%3D|=)+([A-Za-z0-9.-]+)/i;
