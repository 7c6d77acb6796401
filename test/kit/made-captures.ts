// Captures made of a line for each exchange: when, who, what; an answer, and what a watch delivers.
//
//   1    kubectl POST /apis/batch/v1/namespaces/team/jobs 201 Job/once
//   1.1  job-controller POST /api/v1/namespaces/team/pods 403 Pod/once- of Job/once
//   0    kube-scheduler WATCH /api/v1/pods
//   1.2    ADDED Pod/once-zzvt4 of Job/once

import { createHash } from 'node:crypto';
import { conversation, packets, pcap, type Sent, START, type Turn } from './packetiser.js';

interface Exchange {
  readonly second: number;
  readonly agent: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly object: string | undefined;
  readonly events: { readonly second: number; readonly type: string; readonly object: string }[];
}

export function madeCapture(text: string): Uint8Array {
  const sent = exchangesIn(text).flatMap((one, i) => connectionOf(one, 40_000 + i));
  return pcap(packets(sent.sort((a, b) => Number(a.time! - b.time!))));
}

function exchangesIn(text: string): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const line of text.trim().split('\n')) {
    const event = /^\s*([\d.]+)\s+(ADDED|MODIFIED|DELETED) (.+)$/.exec(line);
    const asked = /^\s*([\d.]+)\s+(\S+) ([A-Z]+) (\S+)(?: (\d{3})(?: (.+))?)?$/.exec(line);
    if (event !== null) exchanges.at(-1)!.events.push({ second: Number(event[1]), type: event[2], object: event[3] });
    else if (asked === null) throw new Error(`no line of a capture: ${line}`);
    else {
      const [, second, agent, method, path, status = '200', object] = asked;
      exchanges.push({ second: Number(second), agent, method, path, status: Number(status), object, events: [] });
    }
  }
  return exchanges;
}

/** A connection for each exchange; its bytes go at their second. */
function connectionOf({ second, agent, method, path, status, object, events }: Exchange, port: number): Sent[] {
  const namespace = /\/namespaces\/([^/]+)/.exec(path)?.[1] ?? 'default';
  const made = object === undefined ? undefined : objectOf(object, namespace);
  const body = method === 'POST' && made !== undefined ? JSON.stringify(asSent(made)) : '';
  const isWatch = method === 'WATCH';
  const line = isWatch ? `GET ${path}?watch=true` : `${method} ${path}`;
  const request = `${line} HTTP/1.1\r\nHost: a\r\n${agentOf(agent)}\r\n${JSON_TYPE}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const said = JSON.stringify(status < 300 && made !== undefined ? made : statusOf(status));
  const head = `HTTP/1.1 ${status} ${REASONS[status]}\r\n${JSON_TYPE}\r\n`;
  const answers: [number, string][] = isWatch
    ? [
        [second + 0.05, `${head}Transfer-Encoding: chunked\r\n\r\n`],
        ...events.map((one): [number, string] => [
          one.second,
          chunk(`${JSON.stringify({ type: one.type, object: objectOf(one.object, namespace) })}\n`),
        ]),
      ]
    : [[second + 0.01, `${head}Content-Length: ${said.length}\r\n\r\n${said}`]];
  const times = [second, ...answers.map(([at]) => at)];
  const turns: Turn[] = [
    { from: 'client', bytes: request },
    ...answers.map(([, bytes]): Turn => ({ from: 'server', bytes })),
  ];
  let turn = -1;
  return conversation(turns, { client: { address: '192.0.2.10', port }, segmentSize: 9000 }).map((one, i) => {
    if ((one.payload?.length ?? 0) > 0) turn += 1;
    return { ...one, time: START + BigInt(Math.round(times[Math.max(turn, 0)] * 1e6)) * 1000n + BigInt(i) };
  });
}

interface Made {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly ownerReferences?: unknown;
  };
}

/** `Pod/once-zzvt4 of Job/once` */
function objectOf(text: string, namespace: string): Made {
  const [own, owner] = text.split(' of ').map((one) => {
    const [kind, name] = one.split('/');
    return { kind, apiVersion: VERSIONS[kind], name, uid: uidOf(one) };
  });
  const { kind, apiVersion, name, uid } = own;
  const ownerReferences = owner === undefined ? undefined : [{ ...owner, controller: true }];
  return { kind, apiVersion, metadata: { name, namespace, uid, ownerReferences } };
}

/** As its client sends it: without what the server gives it; what a controller makes is named by the server. */
function asSent({ metadata: { name, ownerReferences }, ...rest }: Made): object {
  const named =
    ownerReferences === undefined ? { name } : { generateName: name.replace(/-\w*$/, '-'), ownerReferences };
  return { ...rest, metadata: named };
}

function statusOf(code: number): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    code,
    ...(code < 300 ? { status: 'Success' } : { reason: REASONS[code] }),
  };
}

/** A component's User-Agent as client-go sends it; `name+account`: with the token of a service account. */
function agentOf(name: string): string {
  const [program, account] = name.split('+');
  const agent = program.endsWith('-controller')
    ? `${manager}/system:serviceaccount:kube-system:${program}`
    : `${program}/v1.34.4 (linux/amd64) kubernetes/0123456`;
  if (account === undefined) return `User-Agent: ${agent}`;
  const claims = [{ alg: 'RS256' }, { iss: 'kubernetes', sub: `system:serviceaccount:team:${account}` }];
  const [header, payload] = claims.map((one) => Buffer.from(JSON.stringify(one)).toString('base64url'));
  return `User-Agent: ${agent}\r\nAuthorization: Bearer ${header}.${payload}.c2lnbmF0dXJl`;
}

function uidOf(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-9${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const manager = 'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/0123456';
const JSON_TYPE = 'Content-Type: application/json';
const VERSIONS: Readonly<Record<string, string>> = { Pod: 'v1', Job: 'batch/v1', ReplicaSet: 'apps/v1' };
const REASONS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 403: 'Forbidden', 409: 'Conflict' };
