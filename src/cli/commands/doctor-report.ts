// What follows from the facts of a host: what a recording would lack and how to mend that, as text and as JSON.

import { escapeTerminal } from '../../index.js';
import type { ComponentFacts, HostFacts } from './doctor-facts.js';

export interface Finding {
  /** What is missing, in one line. */
  readonly what: string;
  /** How to mend it, in one line. */
  readonly mend: string;
  /** A recording would not work, or open no TLS, as long as it is so. */
  readonly isFatal: boolean;
}

/** What a recording with keys would lack here, the gravest first; empty: nothing. */
export function findingsOf(facts: HostFacts): Finding[] {
  const findings = [...hostFindings(facts), ...facts.components.flatMap(componentFindings)];
  return [...findings.filter(({ isFatal }) => isFatal), ...findings.filter(({ isFatal }) => !isFatal)];
}

function hostFindings(facts: HostFacts): Finding[] {
  const findings: Finding[] = [];
  const fatal = (what: string, mend: string): void => void findings.push({ what, mend, isFatal: true });
  if (!facts.isRoot)
    fatal('not root: packets and TLS secrets of other programs are for root', 'run it with sudo, on the node itself');
  if (facts.tcpdump === null)
    fatal('tcpdump is not installed', 'apt-get install tcpdump, dnf install tcpdump, or record on a host that has it');
  if (facts.tracefs === 'absent')
    fatal(
      'this kernel has no tracefs (CONFIG_TRACING)',
      'boot a kernel of your distribution; a key log from elsewhere works with --keylog',
    );
  // Without root nobody can tell what is in it.
  else if (facts.tracefs === 'unreadable' && facts.isRoot)
    fatal('tracefs cannot be read', 'run it on the node itself, or in a privileged container');
  if (facts.hasUprobes === false)
    fatal(
      'this kernel reports nothing of user programs (no uprobe_events)',
      'boot a kernel with CONFIG_UPROBE_EVENTS, as distributions have it',
    );
  if (facts.lockdown === 'confidentiality')
    fatal(
      'the kernel is locked down for confidentiality: tracefs is closed',
      'boot with lockdown=integrity or without; a key log from elsewhere works with --keylog',
    );
  if (facts.components.length === 0)
    fatal(
      facts.isRoot
        ? 'no component of Kubernetes runs here'
        : 'no component of Kubernetes that you may look at runs here',
      'go to a node that has one, or name a program: kubeseq keys --binary FILE',
    );
  if (!facts.hasKernelsNumbers)
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
    mend: 'the other ends may be read instead; secrets of new handshakes are read where the function is there',
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

export function doctorJson(facts: HostFacts): string {
  const findings = findingsOf(facts);
  const components = facts.components.map(({ handshakeProbe, recordProbes, ...rest }) => ({
    ...rest,
    handshakeProbe: handshakeProbe === null ? null : hex(handshakeProbe),
    recordProbes:
      recordProbes === null ? null : { encrypt: hex(recordProbes.encrypt), decrypt: hex(recordProbes.decrypt) },
  }));
  return `${JSON.stringify({ ready: isReady(findings), ...facts, components, missing: findings }, null, 2)}\n`;
}

export function doctorText(facts: HostFacts): string {
  const findings = findingsOf(facts);
  const lines = [
    `kernel    ${facts.kernel} ${facts.arch}, lockdown ${facts.lockdown ?? 'none'}`,
    `root      ${facts.isRoot ? 'yes' : 'no'}`,
    `tracefs   ${TRACEFS[facts.tracefs]}${facts.hasUprobes === true ? ', with uprobes' : ''}`,
    `tcpdump   ${facts.tcpdump ?? 'not installed'}`,
    ...(facts.components.length === 0 ? [] : ['', 'components']),
    ...facts.components.map(componentLine),
    ...(findings.length === 0 ? [] : ['', 'missing']),
    ...findings.flatMap(({ what, mend }) => [`  ${what}: ${mend}`]),
    '',
    isReady(findings) ? 'a recording with keys would work' : 'a recording with keys would not work',
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
  const open = `${one.openConnections} connections open, ${one.withComponents} of them with another component here`;
  return `  ${one.name}  pid ${one.pid}, ${program}; ${handshakes}, ${records}; ${open}`;
}

/** An offset in a file, as `keys --print` has it. */
function hex(offset: number): string {
  return `0x${offset.toString(16)}`;
}

const TRACEFS: Readonly<Record<HostFacts['tracefs'], string>> = {
  mounted: 'mounted',
  mountable: 'not mounted; keys and record mount it',
  unreadable: 'cannot be read',
  absent: 'not in this kernel',
};
