import { expect, it } from 'vitest';
import { compareNames, ringOf } from './ring-names.js';

it.each([
  ['tcpdump -C', ['cap.pcap', 'cap.pcap1', 'cap.pcap10', 'cap.pcap2.gz']],
  ['tcpdump -C -W', ['d/cap.pcap00', 'd/cap.pcap01', 'd/cap.pcap99']],
  ['tcpdump -G, close together', ['n-20261121041500.pcap', 'n-20261121042000.pcap']],
  ['tcpdump -G, spelt out', ['n-2026-11-21_04-15-00.pcap', 'n-2026-11-21_04-20-00.pcap.gz']],
  ['tcpdump -G %s', ['n-1795200000.pcap', 'n-1795200300.pcap']],
  ['dumpcap -b', ['n_00001_20261121041500.pcapng', 'n_00002_20261121042000.pcapng']],
])('%s makes one ring', (_name, files) => {
  expect(new Set(files.map(ringOf)).size).toBe(1);
});

it.each([
  ['hosts', ['node-1.pcap', 'node-2.pcap', 'node-10.pcap']],
  ['addresses', ['192.0.2.10', '192.0.2.11']],
  ['folders', ['a/cap.pcap1', 'b/cap.pcap2']],
  ['interfaces', ['eth0.pcap1', 'eth1.pcap1']],
])('%s are several', (_name, files) => {
  expect(new Set(files.map((file) => ringOf(file) ?? file)).size).toBe(files.length);
});

it('numbers are compared as such', () => {
  expect(['c.pcap10', 'c.pcap2', 'c.pcap'].sort(compareNames)).toEqual(['c.pcap', 'c.pcap2', 'c.pcap10']);
});
