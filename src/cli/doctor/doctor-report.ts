// Tells what a recording on this host would lack, and how to fix it.

import { counted, escapeTerminal, jsonText } from '../../index.js';
import { COMMAND_READ } from '../keys/key-targets.js';
import type { ComponentFacts, HostFacts } from './doctor-facts.js';

export interface Finding {
  /** What is missing, in one line. */
  readonly what: string;
  /** How to mend it, in one line. */
  readonly mend: string;
  /** A recording would fail, or decrypt nothing. */
  readonly isFatal: boolean;
}

/** Problems for a recording with keys, the most severe first. */
export function findingsOf(observation: HostFacts): Finding[] {
  const findings = [...hostFindings(observation), ...observation.components.flatMap(componentFindings)];
  return [...findings.filter(({ isFatal }) => isFatal), ...findings.filter(({ isFatal }) => !isFatal)];
}

function hostFindings(observation: HostFacts): Finding[] {
  const findings: Finding[] = [];
  const fatal = (what: string, mend: string): void => void findings.push({ what, mend, isFatal: true });
  if (!observation.isRoot)
    fatal('not root: packets and TLS secrets of other programs are for root', 'run it with sudo, on the node itself');
  if (observation.tcpdump === null)
    fatal('tcpdump is not installed', 'apt-get install tcpdump, dnf install tcpdump, or record on a host that has it');
  if (observation.tracefs === 'absent')
    fatal(
      'this kernel has no tracefs (CONFIG_TRACING)',
      'boot a kernel of your distribution; a key log from elsewhere works with --keylog',
    );
  // Without root its content is unknown.
  else if (observation.tracefs === 'unreadable' && observation.isRoot)
    fatal('tracefs cannot be read', 'run it on the node itself, or in a privileged container');
  if (observation.hasUprobes === false)
    fatal(
      'this kernel reports nothing of user programs (no uprobe_events)',
      'boot a kernel with CONFIG_UPROBE_EVENTS, as distributions have it',
    );
  if (observation.lockdown === 'confidentiality')
    fatal(
      'the kernel is locked down for confidentiality: tracefs is closed',
      'boot with lockdown=integrity or without; a key log from elsewhere works with --keylog',
    );
  if (observation.components.length === 0)
    findings.push({
      what: observation.isRoot
        ? 'no Kubernetes component runs on this host'
        : 'no Kubernetes component that you may look at runs on this host',
      mend: `run kubeseq on a node of the cluster; ${COMMAND_READ}`,
      isFatal: false,
    });
  if (!observation.hasKernelsNumbers)
    findings.push({
      what: 'process numbers here are not those of the kernel: --pid reads every process of the program',
      mend: "run it in the host's process namespace (docker run --pid=host, kubectl debug --profile=sysadmin)",
      isFatal: false,
    });
  return findings;
}

function componentFindings({ name, pid, why, hasOwnNetwork, openConnections }: ComponentFacts): Finding[] {
  const findings = why.map((one) => ({
    what: `${name} (${pid}) ${one}`,
    mend: 'the other ends can be read instead; secrets of new handshakes are read where the function is there',
    isFatal: false,
  }));
  if (hasOwnNetwork && openConnections > 0)
    findings.push({
      what: `${name} (${pid}) has a network namespace of its own: its traffic inside of it passes no interface of this host`,
      mend: `capture there: nsenter -t ${pid} -n tcpdump -i any`,
      isFatal: false,
    });
  return findings;
}

export function isReady(findings: readonly Finding[]): boolean {
  return findings.every(({ isFatal }) => !isFatal);
}

export function doctorJson(observation: HostFacts): string {
  const findings = findingsOf(observation);
  const components = observation.components.map(({ handshakeProbe, recordProbes, ...rest }) => ({
    ...rest,
    handshakeProbe: handshakeProbe === null ? null : hex(handshakeProbe),
    recordProbes:
      recordProbes === null ? null : { encrypt: hex(recordProbes.encrypt), decrypt: hex(recordProbes.decrypt) },
  }));
  return `${jsonText({ ready: isReady(findings), ...observation, components, missing: findings }, 2)}\n`;
}

export function doctorText(observation: HostFacts): string {
  const findings = findingsOf(observation);
  const lines = [
    `kernel    ${observation.kernel} ${observation.arch}, lockdown ${observation.lockdown ?? 'none'}`,
    `root      ${observation.isRoot ? 'yes' : 'no'}`,
    `tracefs   ${TRACEFS[observation.tracefs]}${observation.hasUprobes === true ? ', with uprobes' : ''}`,
    `tcpdump   ${observation.tcpdump?.replace(/^tcpdump version /, '') ?? 'not installed'}`,
    ...(observation.components.length === 0 ? [] : ['', 'components']),
    ...observation.components.map(componentLine),
    ...(findings.length === 0 ? [] : ['', 'what is missing, and what to do']),
    ...findings.flatMap(({ what, mend }) => [`  ${what}: ${mend}`]),
    '',
    isReady(findings)
      ? `kubeseq record --keys works here${observation.components.length === 0 ? ', for the command itself' : ''}`
      : 'kubeseq record --keys does not work here; a capture without keys may',
  ];
  return lines.map((line) => `${escapeTerminal(line)}\n`).join('');
}

function componentLine(one: ComponentFacts): string {
  const program =
    one.goVersion === null ? 'not read' : `${one.goVersion}${one.isStripped === true ? ', stripped' : ''}`;
  const handshakes = one.handshakeProbe === null ? 'no handshakes' : `handshakes at ${hex(one.handshakeProbe)}`;
  const records =
    one.recordProbes === null
      ? 'no open connections'
      : `records at ${hex(one.recordProbes.encrypt)} and ${hex(one.recordProbes.decrypt)}`;
  const open = `${counted(one.openConnections, 'connection')} open, ${one.withComponents} of them with another component here`;
  return `  ${one.name}  pid ${one.pid}, ${program}; ${handshakes}, ${records}; ${open}`;
}

/** An offset in a file, as `keys --print` writes it. */
function hex(offset: number): string {
  return `0x${offset.toString(16)}`;
}

const TRACEFS: Readonly<Record<HostFacts['tracefs'], string>> = {
  mounted: 'mounted',
  mountable: 'not mounted; keys and record mount it',
  unreadable: 'cannot be read',
  absent: 'not in this kernel',
};
