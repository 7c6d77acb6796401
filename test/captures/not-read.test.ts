// What was not read is said with its number and its reason: packets that were cut, packets of other protocols; a capture of which
// no packet was read is never "complete", and a stream that is no watch is none.

import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';

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
