// `kubeseq doctor`: one clear line for each thing that is missing, here and on hosts that are described.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ComponentFacts, HostFacts } from '../../src/cli/doctor/doctor-facts.js';
import { doctorJson, doctorText, findingsOf, isReady } from '../../src/cli/doctor/doctor-report.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { built } from '../kit/go.js';
import { MISSING, TOOLCHAINS } from '../kit/keys-kit.js';
import { Spawned } from '../kit/spawned.js';

const APISERVER: ComponentFacts = {
  name: 'kube-apiserver',
  pid: 812,
  binary: '/usr/local/bin/kube-apiserver',
  goVersion: 'go1.24.6',
  isStripped: true,
  handshakeProbe: 0x1acfe0,
  recordProbes: { encrypt: 0x1aedb2, decrypt: 0x1ae392 },
  why: [],
  openConnections: 23,
  withComponents: 9,
  hasOwnNetwork: false,
};
const NODE: HostFacts = {
  kernel: '6.8.0-45-generic',
  arch: 'x64',
  isRoot: true,
  hasKernelsNumbers: true,
  tracefs: 'mounted',
  hasUprobes: true,
  lockdown: 'none',
  tcpdump: 'tcpdump version 4.99.4',
  components: [APISERVER],
};

function missing(changes: Partial<HostFacts>): string[] {
  return findingsOf({ ...NODE, ...changes }).map(({ what }) => what);
}

describe('what follows from the facts of a host', () => {
  it('a node of a control plane lacks nothing', () => {
    expect(findingsOf(NODE)).toEqual([]);
    expect(doctorText(NODE)).toBe(`kernel    6.8.0-45-generic x64, lockdown none
root      yes
tracefs   mounted, with uprobes
tcpdump   4.99.4

components
  kube-apiserver  pid 812, go1.24.6, stripped; handshakes at 0x1acfe0, records at 0x1aedb2 and 0x1ae392; 23 connections open, 9 of them with another component here

kubeseq record --keys works here
`);
  });

  it('without a component, without root and without tracefs: a line each', () => {
    const facts = { ...NODE, components: [], isRoot: false, tracefs: 'absent', hasUprobes: null } as const;
    const [, below] = doctorText(facts).split('what is missing, and what to do\n');
    expect(below.split('\n')).toEqual([
      '  not root: packets and TLS secrets of other programs are for root: run it with sudo, on the node itself',
      '  this kernel has no tracefs (CONFIG_TRACING): boot a kernel of your distribution; a key log from elsewhere works with --keylog',
      '  no Kubernetes component that you may look at runs on this host: run kubeseq on a node of the cluster; of a command itself record --keys reads what Go programs and those that know SSLKEYLOGFILE (curl, Python) say; a Java client needs an agent that writes a key log, such as extract-tls-secrets, and --keylog FILE',
      '',
      'kubeseq record --keys does not work here; a capture without keys may',
      '',
    ]);
  });

  it.each<[string, Partial<HostFacts>, RegExp, boolean]>([
    ['no tcpdump', { tcpdump: null }, /^tcpdump is not installed$/, false],
    ['no uprobes', { hasUprobes: false }, /no uprobe_events/, false],
    ['lockdown', { lockdown: 'confidentiality' }, /locked down/, false],
    ['an unreadable tracefs', { tracefs: 'unreadable', hasUprobes: null }, /tracefs cannot be read/, false],
    ['a tracefs that is not mounted', { tracefs: 'mountable', hasUprobes: null }, /^$/, true],
    ['lockdown that lets probes be', { lockdown: 'integrity' }, /^$/, true],
    ['a machine without components', { components: [] }, /^no Kubernetes component runs on this host$/, true],
    ['process numbers of a container', { hasKernelsNumbers: false }, /process numbers here/, true],
    [
      'a Go version without a row',
      {
        components: [
          {
            ...APISERVER,
            recordProbes: null,
            why: ['is of go1.31: its connections that are open already cannot be read'],
          },
        ],
      },
      /^kube-apiserver \(812\) is of go1.31/,
      true,
    ],
    [
      'a Pod network',
      { components: [{ ...APISERVER, name: 'coredns', hasOwnNetwork: true }] },
      /network namespace of its own/,
      true,
    ],
  ])('%s', (_, changes, line, ready) => {
    const found = missing(changes);
    expect(found.length).toBeLessThanOrEqual(1);
    expect(found[0] ?? '').toMatch(line);
    expect(isReady(findingsOf({ ...NODE, ...changes }))).toBe(ready);
  });

  it('without a component record reads the command itself, and says so', () => {
    expect(doctorText({ ...NODE, components: [] })).toMatch(
      /agent that writes a key log.*--keylog FILE\n\nkubeseq record --keys works here, for the command itself\n$/,
    );
  });

  it('JSON has the same', () => {
    const json = JSON.parse(doctorJson({ ...NODE, tcpdump: null })) as Record<string, unknown>;
    expect(json).toMatchObject({
      ready: false,
      kernel: NODE.kernel,
      components: [{ name: 'kube-apiserver', recordProbes: { encrypt: '0x1aedb2', decrypt: '0x1ae392' } }],
      missing: [{ what: 'tcpdump is not installed', isFatal: true }],
    });
  });

  it('what a program is called steers no terminal', () => {
    const text = doctorText({ ...NODE, components: [{ ...APISERVER, name: 'kube\u001b[31m' }] });
    expect(text).not.toContain('\u001b');
    expect(text.split('\n')).toHaveLength(doctorText(NODE).split('\n').length);
  });
});

describe('on this host', () => {
  const started: Spawned[] = [];
  afterAll(() => {
    for (const { child } of started) child.kill('SIGKILL');
  });

  it('the exit status is whether a recording would work', () => {
    const { status, stdout, stderr } = kubeseq(['doctor', '-o', 'json']);
    const { ready, missing: lines } = JSON.parse(stdout) as {
      ready: boolean;
      missing: { what: string; isFatal: boolean }[];
    };
    expect([status, stderr]).toEqual([ready ? 0 : 1, '']);
    expect(lines.some(({ isFatal }) => isFatal)).toBe(!ready);
    expect(kubeseq(['doctor', '-o', 'yaml']).status).toBe(2);
  });

  /** Where the project lies may be for its owner only. */
  const mayRun = spawnSync('test', ['-r', `${ROOT}/bin/kubeseq.js`], { uid: 65534, gid: 65534 }).status === 0;

  it.skipIf(!mayRun)('a user other than root gets one line about it', () => {
    const { status, stdout } = spawnSync(process.execPath, [`${ROOT}/bin/kubeseq.js`, 'doctor'], {
      uid: 65534,
      gid: 65534,
      encoding: 'utf8',
      env: { ...process.env, HOME: '/nonexistent' },
    });
    expect(status).toBe(1);
    expect(stdout.match(/^ {2}not root: .*$/gm)).toHaveLength(1);
    expect(stdout.match(/^ {2}no Kubernetes component .*$/gm)).toHaveLength(1);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'kubeseq record --keys does not work here; a capture without keys may',
    );
  });

  it.skipIf(MISSING !== '')(
    `finds a component with its connections${MISSING === '' ? '' : ` (skipped: ${MISSING})`}`,
    async () => {
      const folder = join(mkdtempSync(join(tmpdir(), 'kubeseq-')), 'bin');
      mkdirSync(folder);
      const newest = TOOLCHAINS.at(-1)!;
      const whole = built(newest, 'held', { stripped: true });
      for (const name of ['kube-scheduler', 'kube-proxy']) spawnSync('cp', [whole, join(folder, name)]);
      const server = new Spawned(join(folder, 'kube-scheduler'), ['serve', '1.3']);
      started.push(server);
      await server.until(({ stdout }) => stdout.includes('\n'));
      const client = new Spawned(join(folder, 'kube-proxy'), ['ask', server.stdout.trim()]);
      started.push(client);
      await client.until(({ stdout }) => stdout.includes('open\n'));
      const { components } = JSON.parse(kubeseq(['doctor', '-o', 'json']).stdout) as { components: ComponentFacts[] };
      const ours = components.filter(({ pid }) => pid === server.child.pid || pid === client.child.pid);
      expect(ours).toHaveLength(2);
      for (const one of ours)
        expect(one).toMatchObject({
          goVersion: newest.version,
          isStripped: true,
          openConnections: 1,
          withComponents: 1,
          hasOwnNetwork: false,
          handshakeProbe: expect.stringMatching(/^0x/),
          recordProbes: { encrypt: expect.stringMatching(/^0x/), decrypt: expect.stringMatching(/^0x/) },
          why: [],
        });
    },
  );
});
