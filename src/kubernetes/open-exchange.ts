// Opens the context of an exchange from its first event: server role, request info, addresses.

import { fieldValue } from '../core/fields.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { Redaction } from '../redaction/redaction.js';
import { type RequestInfo, requestInfo } from './api/request-info.js';
import { API_SERVER_ROLE, type ServerRoles } from './api/server-roles.js';
import type { OpenExchange } from './exchange-context.js';
import type { LegPath } from './network/connection-legs.js';

/**
 * @param number ordinal of the exchange, from 1.
 * @param path of several connections that are one behind address translation; null: there is one.
 */
export function openExchange(
  { exchange }: ExchangeEvent,
  number: number,
  path: LegPath | null,
  serverRoles: ServerRoles,
  redaction: Redaction,
): OpenExchange {
  const { request } = exchange;
  const connection =
    path === null ? exchange.connection : { ...exchange.connection, client: path.client, server: path.server };
  // Whatever the path: only an API server writes an audit log, and a prefix shows that one is behind it.
  const isApiServers = exchange.audited !== undefined || request?.prefix !== undefined;
  const role = isApiServers ? API_SERVER_ROLE : serverRoles.classify(request, connection.server);
  const agent = request === null ? undefined : fieldValue(request.fields, 'user-agent');
  const info = role.protocol === 'kubernetes' ? infoOf(exchange) : null;
  return {
    number,
    connection,
    role,
    info,
    userAgent: agent === undefined ? undefined : redaction.userAgent(agent),
    target: request?.target == null ? undefined : redaction.target(request.target, role.protocol),
    prefix: request?.prefix,
    requestSeq: undefined,
    requestEnd: 0n,
    reviewed: undefined,
    trackerStates: undefined,
    hasFailed: false,
    initial: info?.watch === true && STREAMING_LIST.test(request?.target ?? ''),
  };
}

function infoOf({ request }: Exchange): RequestInfo | null {
  return request === null || request.method === null || request.target === null
    ? null
    : requestInfo(request.method, request.target);
}

/** k8s.io/apimachinery/pkg/apis/meta/v1: ListOptions.SendInitialEvents. */
const STREAMING_LIST = /[?&]sendInitialEvents=(?:true|True|TRUE|t|T|1)(?:&|$)/;
