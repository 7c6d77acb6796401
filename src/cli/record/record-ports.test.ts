import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filterFor, portsIn } from './record-ports.js';

describe('portsIn', () => {
  it.each([
    ['http://127.0.0.1:8001/api/v1', [8001]],
    ['https://user@[2001:db8::1]:16443/x', [16443]],
    ['https://cluster.example/x', [443]],
    ['http://cluster.example', [80]],
    ['--server=https://192.0.2.10:7443', [7443]],
    ['--endpoints=192.0.2.10:2479,node-2:2480', [2479, 2480]],
    ['localhost:9999', [9999]],
    ['image:1.27', []],
    ['12:30:45', []],
    ['deployment/web', []],
    ['http://host:99999/', []],
  ])('%s', (argument, ports) => expect(portsIn(argument)).toEqual(ports));
});

describe('filterFor', () => {
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'kubeseq-')), 'config');
  writeFileSync(
    kubeconfig,
    'clusters:\n- cluster: {server: "https://192.0.2.1:42443"}\n- cluster: {server: "https://eks.example"}\n',
  );

  it('has the ports of a control plane', () => {
    const filter = filterFor(['true'], { KUBECONFIG: '/nowhere' });
    expect(filter).toMatch(/^tcp port 6443 or .*tcp portrange 10255-10259/);
  });

  it.each([
    [['kubectl', 'get', 'pods'], { KUBECONFIG: `/nowhere:${kubeconfig}` }],
    [['kubectl', '--kubeconfig', kubeconfig, 'get', 'pods'], {}],
    [['kubectl', `--kubeconfig=${kubeconfig}`, 'get', 'pods'], { KUBECONFIG: '/nowhere' }],
  ])('and those of every cluster in the kubeconfig: %s', (command, environment) => {
    expect(filterFor(command, environment)).toMatch(
      / or tcp port 42443 or tcp port 443 or icmp\[icmptype\] == icmp-unreach or \(icmp6 and ip6\[40\] == 1\)$/,
    );
  });

  it('and those of the command, each once', () => {
    const filter = filterFor(['curl', 'http://127.0.0.1:8001/a', 'http://127.0.0.1:8001/b', 'https://x:6443'], {});
    expect(filter.match(/port 8001\b/g)).toHaveLength(1);
    expect(filter.match(/port 6443\b/g)).toHaveLength(1);
  });
});
