// What was not read is said with its number and its reason: packets that were cut, packets of other protocols; a capture of which
// no packet was read is never "complete", and a stream that is no watch is none.

import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { saved } from '../kit/reached.js';

const KEYS = ['--keylog', 'fixtures/not-read/snap96.keys.log.gz'];
const capture = (name: string): string => `fixtures/not-read/${name}.pcap.gz`;
/** In the words of before: none of them is so. */
const WRONG = /no byte was sent|nothing was sent|was before the capture|are missing from the capture|complete/;
/** Without line breaks, as notes have them. */
const plain = (text: string): string => text.replace(/<br>|\s+/g, ' ');

describe('packets that were cut', () => {
  const CUT = '48 of 95 packets were cut at 96 bytes by the capture (snap length): record with tcpdump -s 0';

  it.each<[string, string[]]>([
    ['with the secrets', KEYS],
    ['without them', []],
  ])('by the snap length, %s', (_, keys) => {
    const { stdout, stderr, status } = kubeseq(['summary', capture('snap96'), ...keys]);
    expect(stdout).toContain(`\n  ${CUT}\n`);
    expect(stdout.replace(/: \d+ complete,/, '')).not.toMatch(WRONG);
    expect(stderr).toContain('record whole packets: tcpdump -s 0');
    expect(status).toBe(1);
    const diagram = plain(kubeseq(['diagram', capture('snap96'), ...keys]).stdout);
    expect(diagram).toContain(CUT);
    expect(diagram).not.toMatch(WRONG);
  });

  it('before the capture, by a mirror', () => {
    const { stdout } = kubeseq(['summary', capture('vxlan-trunc')]);
    expect(stdout).toContain('  37 of 95 packets were cut at 178 bytes before they were captured: ');
    expect(stdout.replace(/: \d+ complete,/, '')).not.toMatch(WRONG);
  });
});

describe('packets that are not read', () => {
  it.each<[string, string]>([
    ['wireguard', '95 packets of UDP port 51820 (WireGuard'],
    ['esp', '95 packets of IP protocol 50 (IPsec ESP'],
    ['dns', '6 packets of UDP port 53 (DNS)'],
  ])('%s', (name, words) => {
    const { stdout, stderr, status } = kubeseq(['summary', capture(name)]);
    expect(stdout).toContain('Nothing was read: there is no request and no answer.');
    expect(stdout).toContain(`\nnot read, by reason\n  ${words}`);
    expect(stderr).toContain(`nothing of the capture could be read: ${words}`);
    expect(status).toBe(1);
    const diagram = plain(kubeseq(['diagram', capture(name)]).stdout);
    expect(diagram).toContain(`missing in the capture: ${words}`);
    expect(diagram).not.toMatch(WRONG);
  });
});

it('a response in the middle of a connection is no watch', () => {
  const { stdout } = kubeseq(['summary', capture('jetty')]);
  expect(stdout).toContain('client 192.0.2.30: receives an answer whose request was before the capture (frame 1)');
  expect(stdout).not.toMatch(/a watch|event of/);
});

it('exec through a proxy that drops Upgrade: the message, and which hop took the header away', () => {
  // tshark: kubectl (192.0.2.30) sends nginx (192.0.2.20) Connection: Upgrade, nginx sends 192.0.2.10 Connection: close.
  const { stdout } = kubeseq(['summary', 'fixtures/reached/exec-nginx.pcap.gz']);
  const failed = stdout.split('\n').filter((line) => line.includes('Upgrade request required'));
  expect(failed).toHaveLength(4);
  expect(
    failed.filter((line) => line.includes('the proxy 192.0.2.20 port 8080 did not forward Connection: Upgrade')),
  ).toHaveLength(2);
  expect(failed.filter((line) => line.includes('which a proxy did not forward'))).toHaveLength(2);
});

it('what is not HTTP is named, with its longest answer', () => {
  // tshark: three connections to 192.0.2.10:3306; a select with sleep(2) is answered after 2.0 s.
  const { stdout } = kubeseq(['summary', 'fixtures/reached/mariadb.pcap.gz']);
  expect(stdout).toContain(
    '3 × MySQL (server greeting 10.11.19-MariaDB-0+deb12u1), which is not read; longest answer 2.0 s',
  );
  const diagram = kubeseq(['diagram', 'fixtures/reached/mariadb.pcap.gz']).stdout;
  expect(diagram).toContain('3 connections of MySQL not understood');
});

it('a version that the server tells after it has authenticated its client, and the longest answer', () => {
  const capture = saved('postgres.pcap', [
    { from: 'client', bytes: '\0\0\0\x29\0\x03\0\0user\0kine\0database\0kubernetes\0\0' },
    { from: 'server', bytes: 'R\0\0\0\x0c\0\0\0\x05abcd' },
    { from: 'client', bytes: 'p\0\0\0\x28md5hunter2-in-a-secret\0' },
    { from: 'server', bytes: 'R\0\0\0\x08\0\0\0\0S\0\0\0\x18server_version\x0016.3\0Z\0\0\0\x05I' },
  ]);
  const { stdout, stderr } = kubeseq(['summary', capture]);
  expect(stdout).toContain('1 × PostgreSQL (server version 16.3), which is not read');
  expect(stdout + stderr).not.toContain('hunter2');
});

it('names that DNS did not resolve are said', () => {
  // tshark: guard.shop.svc is asked for three times, and three times the server fails.
  const { stdout } = kubeseq(['summary', 'fixtures/not-read/dns.pcap.gz']);
  expect(stdout).toContain('connection from 192.0.2.10 to 192.0.2.53:53: DNS: guard.shop.svc: SERVFAIL, 3 times');
  const { stdout: diagram } = kubeseq(['diagram', 'fixtures/not-read/dns.pcap.gz']);
  expect(diagram).toContain('DNS: guard.shop.svc: SERVFAIL, 3 times');
  expect(diagram).not.toContain('no answer after that');
});
