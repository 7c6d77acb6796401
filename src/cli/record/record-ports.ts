// Derives a capture filter for a recorded command: the ports of a control plane, of addresses in its arguments, and
// of the API server in its kubeconfig.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CONTROL_PLANE_PORTS, portsFilter } from '../input/tcpdump.js';

/** A filter in tcpdump's syntax. */
export function filterFor(command: readonly string[], environment: NodeJS.ProcessEnv): string {
  const more = [...command.flatMap(portsIn), ...kubeconfigsOf(command, environment).flatMap(portsOfKubeconfig)];
  return portsFilter([...CONTROL_PLANE_PORTS, ...new Set(more.filter((port) => !CONTROL_PLANE_PORTS.includes(port)))]);
}

/** Ports of URLs and of `host:port` in one argument. */
export function portsIn(argument: string): number[] {
  const urls = [...argument.matchAll(/\b(https?|wss?):\/\/(?:[^\s/@]*@)?(?:\[[^\]\s]*\]|[^\s/:?#'"]+)(?::(\d+))?/g)];
  const ports = urls.map(([, scheme, port]) => Number(port ?? (scheme === 'https' || scheme === 'wss' ? 443 : 80)));
  const pairs = [
    ...argument.matchAll(/(?:^|[\s=,'"])(?:\[[\da-fA-F:]+\]|[\w.-]*[A-Za-z.][\w.-]*):(\d{1,5})(?=$|[\s,/'"])/g),
  ];
  return [...ports, ...pairs.map(([, port]) => Number(port))].filter((port) => port > 0 && port < 65_536);
}

function kubeconfigsOf(command: readonly string[], environment: NodeJS.ProcessEnv): string[] {
  const named = command.flatMap((argument, i) => {
    if (argument === '--kubeconfig') return command[i + 1] ?? [];
    return argument.startsWith('--kubeconfig=') ? argument.slice('--kubeconfig='.length) : [];
  });
  if (named.length > 0) return named;
  const listed = environment['KUBECONFIG'];
  return listed === undefined || listed === '' ? [join(homedir(), '.kube', 'config')] : listed.split(':');
}

/** Servers of all clusters in a kubeconfig, because the command may use another context. */
function portsOfKubeconfig(path: string): number[] {
  try {
    const { clusters } = parse(readFileSync(path, 'utf8')) as { clusters?: { cluster?: { server?: unknown } }[] };
    return (clusters ?? []).flatMap(({ cluster }) =>
      typeof cluster?.server === 'string' ? portsIn(cluster.server) : [],
    );
  } catch {
    // The command itself reports a missing or invalid kubeconfig.
    return [];
  }
}
