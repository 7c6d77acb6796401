// Real captures through the real stages before this one. Figures are those of tshark, where it is installed for every
// connection that has a handshake.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import { kinds, plaintext } from '../../test/kit/tls-peers.js';
import { HAS_TSHARK } from '../../test/kit/tshark.js';
import { captureReader } from '../capture/capture-reader.js';
import type { Notice } from '../core/notice.js';
import { packetDecoder } from '../packet/packet-decoder.js';
import { tcpReassembler } from '../tcp/reassembler.js';
import type { StreamEvent } from '../tcp/stream-event.js';
import { type SecretStore, secretStore } from './key-log.js';
import { tlsStage } from './tls-stage.js';

type TlsItems = (StreamEvent | Notice)[];

function read(name: string, secrets: SecretStore, final: boolean): Map<string, TlsItems> {
  const [reader, decoder, tcp] = [captureReader({ capture: 0 }), packetDecoder(), tcpReassembler()];
  secrets.final = final;
  const tls = tlsStage(secrets);
  const said = new Map<string, TlsItems>();
  const take = (items: readonly (StreamEvent | Notice)[]) => {
    for (const item of items) {
      const connection = item.kind === 'notice' ? (item.connection ?? '') : item.connection.name;
      said.set(connection, [...(said.get(connection) ?? []), item]);
    }
  };
  const bytes = fixture(name);
  for (const item of [...reader.feed(bytes), ...reader.end()]) {
    if (item.kind === 'secrets') secrets.add(item.keyLog);
    if (item.kind !== 'frame') continue;
    for (const segment of decoder.feed(item)) {
      if (segment.kind !== 'segment') continue;
      for (const event of tcp.feed(segment)) if (event.kind !== 'notice') take(tls.feed(event));
    }
  }
  for (const event of tcp.end()) if (event.kind !== 'notice') take(tls.feed(event));
  take([...tls.end()]);
  return said;
}

function keyLog(name: string): SecretStore {
  const secrets = secretStore();
  secrets.add(Buffer.from(fixture(`${name}/keys.log`)).toString('latin1'));
  expect(secrets.end()).toEqual([]);
  return secrets;
}

/** Plaintext of every TLS connection as tshark decrypts it, both directions in hexadecimal, sorted. */
function byTshark(name: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  try {
    const [capture, keys] = [join(folder, 'capture'), join(folder, 'keys')];
    writeFileSync(capture, fixture(`${name}/capture.pcap`));
    writeFileSync(keys, fixture(`${name}/keys.log`));
    const tshark = (...args: string[]) =>
      execFileSync('tshark', ['-r', capture, '-o', `tls.keylog_file:${keys}`, ...args], {
        stdio: ['ignore', 'pipe', 'ignore'],
        maxBuffer: 1 << 28,
      }).toString();
    const streams = new Set(
      tshark('-Y', 'tls.handshake.type == 1', '-T', 'fields', '-e', 'tcp.stream').trim().split('\n'),
    );
    const follow = [...streams].flatMap((stream) => ['-z', `follow,tls,raw,${stream}`]);
    const parts = tshark('-q', ...follow).split(/={20,}\n/);
    return parts
      .filter((part) => part.includes('Node 0'))
      .map((part) => {
        const lines = part.split('\n').filter((line) => /^\t?[0-9a-f]+$/.test(line));
        const [one, other] = [lines.filter((line) => line[0] !== '\t'), lines.filter((line) => line[0] === '\t')];
        return [one.join(''), other.map((line) => line.slice(1)).join('')].sort().join(' ');
      })
      .sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.each([
  ['run-nginx-tls', 14, 1],
  ['clients-tls', 20, 1],
  ['late-start-tls', 4, 4],
])('%s', (name, handshakes, late) => {
  const said = read(`${name}/capture.pcap`, keyLog(name), true);

  it('is read whole: nothing opaque, no gap, every late connection opened', () => {
    const all = [...said.values()];
    expect(all.filter((items) => items.some(({ kind }) => kind === 'tls-established'))).toHaveLength(handshakes + late);
    const notices = all.flat().filter((item) => item.kind === 'notice');
    expect(notices.map(({ code }) => code)).toEqual(Array.from({ length: late }, () => 'tls.mid-session'));
    expect(notices.filter(({ detail }) => detail.includes('nothing read'))).toEqual([]);
    expect(all.map((items) => kinds(items)).join()).not.toMatch(/opaque|gap/);
  });

  it.skipIf(!HAS_TSHARK)('gives the bytes that tshark gives', () => {
    const ours = [...said.values()]
      .filter((items) => items.some((item) => item.kind === 'established' && item.connection.roles === 'handshake'))
      .map((items) =>
        [plaintext(items).client.toString('hex'), plaintext(items).server.toString('hex')].sort().join(' '),
      )
      .sort();
    expect(ours).toEqual(byTshark(name));
    expect(ours).toHaveLength(handshakes);
  });
});

describe('capture with its secrets inside', () => {
  it('gives what the same capture with a key log gives', () => {
    const inside = read('run-nginx-tls/capture-with-secrets.pcapng', secretStore(), false);
    const beside = read('run-nginx-tls/capture.pcap', keyLog('run-nginx-tls'), true);
    const texts = (said: Map<string, TlsItems>) =>
      [...said].map(([name, items]) => [name, plaintext(items).client.length, plaintext(items).server.length]).sort();
    expect(texts(inside)).toEqual(texts(beside));
    expect([...inside.values()].flat().filter(({ kind }) => kind === 'opaque')).toEqual([]);
  });
});

describe('suites of the fixture clients-tls', () => {
  it('are TLS 1.2 and 1.3, GCM and ChaCha20', () => {
    const said = read('clients-tls/capture.pcap', keyLog('clients-tls'), true);
    const suites = new Set(
      [...said.values()].flat().flatMap((item) => (item.kind === 'tls-established' ? [item.suite] : [])),
    );
    expect([...suites].sort()).toMatchInlineSnapshot(`
      [
        "TLS_AES_128_GCM_SHA256",
        "TLS_AES_256_GCM_SHA384",
        "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
      ]
    `);
  });
});
