// A cluster whose components are one process by name, as in K3s and MicroK8s, and clients that name a library or nothing. Truth:
// the audit log, which knows everyone by certificate or token (fixtures/one-process-tls/README.md).

import { beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { lossy, observed, recordsOf, withRecords } from '../kit/observed.js';

const FOLDER = 'one-process-tls';
const KEYS = Buffer.from(fixture(`${FOLDER}/keys.log`)).toString('utf8');
const capture = (name: string): Uint8Array => fixture(`${FOLDER}/${name}.pcap`);
const CONTROL_PLANE = capture('control-plane');

interface Audit {
  readonly auditID: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly userAgent: string;
  readonly requestURI: string;
  readonly responseStatus: { readonly code: number };
}

/** A watch is logged when it begins and when it ends. */
const AUDIT = new Map(fixtureLines<Audit>(`${FOLDER}/audit.jsonl`).map((entry) => [entry.auditID, entry]));

/** As a diagram is to call whom the API server knows by that name. */
function nameOf({ user: { username }, userAgent }: Audit): string {
  const [, , namespace, account] = username.split(':');
  if (username.startsWith('system:node:')) return `kubelet (${username.slice(12)})`;
  if (account !== undefined && userAgent.startsWith('k3s/')) return account;
  if (account !== undefined) return `ServiceAccount ${namespace === 'default' ? '' : `${namespace}/`}${account}`;
  if (username === 'system:anonymous') return 'client 192.0.2.21';
  if (username === 'kubernetes-admin') return userAgent.startsWith('kubectl/') ? 'kubectl' : `User ${username}`;
  return username.slice('system:'.length);
}

/** What the controller manager sends for them it sends itself. */
const CONTROLLERS = new Set(
  [...AUDIT.values()].filter(({ userAgent }) => /^k3s\/.*:kube-system:/.test(userAgent)).map(nameOf),
);

let messages: Message[] = [];
const answers = (): Message[] =>
  messages.filter(({ kind, auditId }) => kind === 'response' && AUDIT.has(auditId ?? ''));

/** `as told: as logged`, for each name that is not that of the log. */
function misnamed(): string[] {
  const names = answers().map(({ to, auditId }) => [to.name, nameOf(AUDIT.get(auditId!)!)]);
  return [...new Set(names.filter(([told, is]) => told !== is).map(([told, is]) => `${told}: ${is}`))].sort();
}

function expectAsLogged(): void {
  const told = answers().map(({ auditId }) => auditId!);
  expect(told.sort()).toEqual([...AUDIT.keys()].sort());
  expect(misnamed()).toEqual([]);
}

/** Nobody was named who did not ask, though some may not have been found out. */
function wrong(): string[] {
  return misnamed().filter((one) => {
    const [told, is] = one.split(': ');
    const isPart = told === 'kube-controller-manager' && CONTROLLERS.has(is);
    return !/^(?:client .*|k3s|k3s \(.*\)|kubelet(?: \((?:localhost|[\d.]+)\))?)$/.test(told) && !isPart;
  });
}

describe('the control plane', () => {
  beforeAll(async () => {
    ({ messages } = await observed([CONTROL_PLANE], { keyLogs: [KEYS] }));
  });

  it('every request of the audit log is shown once, with its client', () => {
    expect(AUDIT.size).toBeGreaterThan(250);
    expectAsLogged();
    const different = answers().filter(({ auditId, status }) => AUDIT.get(auditId!)!.responseStatus.code !== status);
    expect(different).toEqual([]);
  });
});

describe('both places, each with a loopback of its own', () => {
  it('are shown as the audit log has it, by the load balancer of node-2', async () => {
    const captures = [CONTROL_PLANE, capture('node-2')];
    for (const files of [captures, captures.toReversed()]) {
      ({ messages } = await observed(files, { keyLogs: [KEYS] }));
      expectAsLogged();
      const ways = answers().filter(({ to }) => to.name === 'kubelet (node-2)');
      expect(new Set(ways.map(({ from, via }) => [...(via ?? []), from].map(({ name }) => name).join(' → ')))).toEqual(
        new Set(['proxy 192.0.2.22 → kube-apiserver']),
      );
    }
  });
});

describe('node-2, whose kubelet sends through a balancer of its own', () => {
  it('is shown as the audit log has it', async () => {
    ({ messages } = await observed([capture('node-2')], { keyLogs: [KEYS] }));
    expect(answers().length).toBeGreaterThan(50);
    expect(new Set(answers().map(({ to }) => to.name))).toEqual(new Set(['kubelet (node-2)']));
    expect(misnamed()).toEqual([]);
  });
});

describe('where certificates cannot be read', () => {
  it('because the key log has no secrets of handshakes: by tails of names, tokens, and what they do', async () => {
    const keyLogs = [KEYS.replace(/^\w+_HANDSHAKE_TRAFFIC_SECRET .*\n/gm, '')];
    ({ messages } = await observed([CONTROL_PLANE], { keyLogs }));
    expect(answers().length).toBeGreaterThan(AUDIT.size * 0.99);
    expect(wrong()).toEqual([]);
    const told = new Set(answers().map(({ to }) => to.name));
    for (const name of [
      'kube-scheduler',
      'kube-controller-manager',
      'deployment-controller',
      'ServiceAccount prometheus',
    ])
      expect(told).toContain(name);
  });

  it.each([10, 25, 50, 75, 90])('because %i of 100 packets were before the capture', async (percent) => {
    const records = recordsOf(CONTROL_PLANE);
    const late = withRecords(CONTROL_PLANE, records.slice(Math.floor((records.length * percent) / 100)));
    ({ messages } = await observed([late], { keyLogs: [KEYS] }));
    expect(answers().length).toBeGreaterThan(0);
    expect(wrong()).toEqual([]);
  });

  it.each([100, 20])('because one packet in %i is missing', async (every) => {
    ({ messages } = await observed([lossy(CONTROL_PLANE, every)], { keyLogs: [KEYS] }));
    expect(answers().length).toBeGreaterThan(AUDIT.size * (every === 20 ? 0.8 : 0.95));
    expect(wrong()).toEqual([]);
  });
});
