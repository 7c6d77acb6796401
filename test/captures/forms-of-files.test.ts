// Captures and key logs in the forms in which people have them: other link types, unix sockets, tunnels on ports of their own, text
// around them, archives and files that are none.

import { generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { conversation, ethernet, ip, packets, pcap, udp } from '../kit/packetiser.js';
import { exchange, lines, SESSION, savedAs } from '../kit/reached.js';

// tshark: 8 requests of each, with the same keys (of TZSP and VXLAN the outer packets, decoded as what they are: 95 inner frames).
it.each<[string, string, string | null]>([
  ['reached/nflog', 'reached/link', null],
  ['reached/pktap258', 'reached/link', 'process 4321, kubectl, as PKTAP noted (frame 2)'],
  ['not-read/tzsp', 'not-read/snap96', null],
  ['not-read/vxlan-port-9999', 'not-read/snap96', null],
])('recorded as %s', (name, keys, note) => {
  const args = [`fixtures/${name}.pcap.gz`, '--keylog', `fixtures/${keys}.keys.log.gz`];
  const messages = lines(args);
  expect(messages.filter(({ kind }) => kind !== 'response').map(({ label }) => label)).toEqual(SESSION);
  expect(messages).toHaveLength(18);
  const evidence = kubeseq(['explain', '3', ...args]).stdout;
  if (note !== null) expect(evidence.split('to: ')[0]).toContain(note);
  expect(evidence.split('to: ')[1]).not.toContain('process');
});

it('what sockdump records of a unix socket', () => {
  const write = (from: number, to: number, text: string): Buffer => {
    const header = Buffer.alloc(16);
    header.writeUInt32BE(to, 4);
    header.writeUInt32BE(from, 12);
    return Buffer.concat([header, Buffer.from(text)]);
  };
  const said = [
    write(3412, 370, 'GET /_ping HTTP/1.1\r\nHost: docker\r\nUser-Agent: Docker-Client/18.06.1-ce (linux)\r\n\r\n'),
    write(370, 3412, 'HTTP/1.1 200 OK\r\nApi-Version: 1.38\r\nContent-Length: 2\r\n\r\nOK'),
    write(3412, 370, 'GET /v1.38/containers/json HTTP/1.1\r\nHost: docker\r\n\r\n'),
    write(370, 3412, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]'),
  ];
  const list = said.map((bytes, i) => ({ time: 1_795_800_000_000_000_000n + BigInt(i) * 1_000_000n, bytes }));
  const path = savedAs('sockdump.pcap', pcap(list, { linkType: 147 }));
  expect(lines([path]).map(({ label, connection }) => `${connection} ${label}`)).toEqual([
    'unix:3412-unix:370 [REQ] GET /_ping',
    'unix:3412-unix:370 [RESP] 200 OK',
    'unix:3412-unix:370 [REQ] GET /v1.38/containers/json',
    'unix:3412-unix:370 [RESP] 200 OK',
  ]);
});

describe('tunnels on ports of their own', () => {
  const args = ['fixtures/not-read/vxlan-port-9999.pcap.gz', '--keylog', 'fixtures/not-read/snap96.keys.log.gz'];

  it('as --decode says', () => expect(lines([...args, '--decode', 'udp:9999=vxlan'])).toHaveLength(18));

  it('a rule that is none is an error', () => {
    const { stderr, status } = kubeseq(['summary', ...args, '--decode', '9999=vxlan']);
    expect(stderr).toContain('--decode 9999=vxlan: expected udp:PORT=vxlan, geneve or tzsp');
    expect(status).toBe(2);
  });

  it('what to do is said where nothing shows what a port carries', () => {
    const bytes = ethernet(ip('192.0.2.1', '192.0.2.2', 17, udp(40_000, 9999, Buffer.from('overlay'))));
    const path = savedAs('unknown-port.pcap', pcap([{ time: 1_795_800_000_000_000_000n, bytes }]));
    const { stderr } = kubeseq(['summary', path]);
    expect(stderr).toContain("next: if port 9999 is an overlay's: --decode udp:9999=vxlan, or geneve");
  });
});

describe('files as people have them', () => {
  const KEYS = 'fixtures/reached/link.keys.log.gz';

  it.each(['stderr-first', 'kubectl-line'])('%s: text before the capture', (name) => {
    const messages = lines([`fixtures/reached/${name}.pcap.gz`, '--keylog', KEYS]);
    expect(messages.filter(({ kind }) => kind !== 'response').map(({ label }) => label)).toEqual(SESSION);
    const { stdout } = kubeseq(['summary', `fixtures/reached/${name}.pcap.gz`, '--keylog', KEYS]);
    expect(stdout).toContain('capture.text-before × 1');
  });

  it('written through a terminal', () => {
    const { stderr } = kubeseq(['diagram', 'fixtures/reached/tty.pcap.gz', '--keylog', KEYS]);
    expect(stderr).toContain(
      'every line feed of the file has a carriage return before it: it was written through a terminal; leave out -t',
    );
  });

  it('two captures behind each other', () => {
    const whole = fixture('reached/nflog.pcap');
    const other = pcap(
      packets(
        conversation(exchange('GET', '/api/v1/namespaces/shop/pods/later', '', '{}'), {
          start: 1_795_800_000_000_000_000n,
        }),
      ),
      { bigEndian: true, variant: 'nano' },
    );
    const path = savedAs('both.pcap', Buffer.concat([whole, other]));
    const messages = lines([path, '--keylog', KEYS]);
    expect(messages).toHaveLength(20);
    expect(messages.map(({ label }) => label)).toContain('[REQ] GET /api/v1/namespaces/shop/pods/later');
  });

  it.each<[string, Buffer, string]>([
    [
      'bundle.tar.gz',
      gzipSync(
        Buffer.concat([
          Buffer.from('capture.pcap'),
          Buffer.alloc(245),
          Buffer.from('ustar\0' + '00'),
          Buffer.alloc(247),
          Buffer.from(fixture('reached/nflog.pcap')),
        ]),
      ),
      'is an archive (tar), not a capture; unpack it',
    ],
    ['bundle.zip', Buffer.from('504b030414000000080000', 'hex'), 'is an archive (zip), not a capture; unpack it'],
    [
      'hubble.json',
      Buffer.from('{"flow": {"time": "2026-11-26T10:00:00Z", "verdict": "FORWARDED"}, "node_name": "n1"}\n'),
      'is flows of Hubble (JSON), not a capture; it has no bytes of the connections',
    ],
    [
      'falco.json',
      Buffer.from('{"hostname":"n1","output":"x","priority":"Notice","rule":"r","output_fields":{"k":"v"}}\n'),
      'is events of Falco (JSON), not a capture',
    ],
    [
      'printed.txt',
      Buffer.from('tcpdump: verbose output suppressed\n12:00:00.000001 IP 192.0.2.1.443 > 192.0.2.2.80: Flags [S]\n'),
      'is what tcpdump prints, not a capture',
    ],
    ['other.bin', Buffer.from('something else'), 'is not a packet capture'],
  ])('%s is named, with what to do', (name, bytes, words) => {
    const path = savedAs(name, bytes);
    const { stderr, status } = kubeseq(['summary', path]);
    expect(stderr).toContain(words);
    expect(status).toBe(2);
  });

  const LOG = Buffer.from(fixture('reached/link.keys.log')).toString();
  it.each<[string, Buffer]>([
    ['UTF-16, as PowerShell writes it', Buffer.from(`\ufeff${LOG.replaceAll('\n', '\r\n')}`, 'utf16le')],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${LOG}`)],
    [
      'with a time and a stream before each line (CRI)',
      Buffer.from(LOG.replace(/^/gm, '2026-11-26T22:19:03.287Z stdout F ')),
    ],
    ['with the Pod before each line (kubectl logs --prefix)', Buffer.from(LOG.replace(/^/gm, '[pod/web/app] '))],
    [
      "in Docker's JSON",
      Buffer.from(LOG.replace(/^(.+)$/gm, '{"log":"$1\\\\n","stream":"stdout","time":"2026-11-26T22:19:03Z"}')),
    ],
    ['broken at 80 columns', Buffer.from(LOG.replace(/^.+$/gm, (line) => line.replace(/.{80}/g, '$&\n')))],
    ['among other lines', Buffer.from(LOG.replace(/^/gm, 'GET /healthz 200\n'))],
  ])('a key log %s', (_, bytes) => {
    const path = savedAs('keys.log', bytes);
    expect(lines(['fixtures/reached/nflog.pcap.gz', '--keylog', path])).toHaveLength(18);
  });

  it('a private key in place of a key log', () => {
    const path = savedAs(
      'server.key',
      generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      }).privateKey,
    );
    const { stdout, stderr } = kubeseq(['summary', 'fixtures/reached/nflog.pcap.gz', '--keylog', path]);
    expect(stdout).toContain(
      'keys.private-key × 1: a private key was given as a key log: it does not open TLS 1.3, nor ECDHE in TLS 1.2',
    );
    expect(stdout + stderr).not.toContain('keys.malformed');
  });
});
