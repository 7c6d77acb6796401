// Captures of requests that were reached in some other way than straight, and what the command tells of them.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeseq } from './command.js';
import { conversation, packets, pcap, type Turn } from './packetiser.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-reached-'));

interface Line {
  readonly kind: string;
  readonly verb?: string;
  readonly label: string;
  readonly from: string;
  readonly to: string;
  readonly object?: { readonly namespace?: string; readonly name?: string };
  readonly cause?: { readonly seq: number };
  readonly connection?: string;
  readonly frames?: readonly number[];
  readonly via?: readonly string[];
}

export function lines(args: readonly string[]): Line[] {
  const { stdout } = kubeseq(['messages', '-o', 'ndjson', ...args]);
  return stdout
    .split('\n')
    .filter((line) => line.includes('"seq"'))
    .map((line) => JSON.parse(line) as Line);
}

/** tshark: requests of each capture, by stream; and what client-go makes of the watch's two JSON documents. */
export const SESSION = [
  '[REQ] GET /version',
  '[REQ] GET /api',
  '[REQ] GET /apis',
  '[REQ] GET /api/v1',
  '[REQ] GET /api/v1/namespaces/shop/pods',
  '[REQ] GET /api/v1/namespaces/shop/pods?watch=true',
  '[REQ] POST /api/v1/namespaces/shop/pods - web',
  '[RESP-CHUNK] Pod ADDED - shop/web',
  '[REQ] DELETE /api/v1/namespaces/shop/pods/web',
  '[RESP-CHUNK] Pod DELETED - shop/web',
];

export function exchange(method: string, target: string, body: string, answer: string): Turn[] {
  const head = `${method} ${target} HTTP/1.1\r\nHost: rancher.example\r\nAuthorization: Bearer Tq9vWm2xKp7rZs4y\r\nContent-Type: application/json\r\n`;
  return [
    { from: 'client', bytes: `${head}Content-Length: ${body.length}\r\n\r\n${body}` },
    {
      from: 'server',
      bytes: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`,
    },
  ];
}

export function saved(name: string, turns: readonly Turn[]): string {
  return savedAs(name, pcap(packets(conversation(turns))));
}

/** @returns the path of a file of these bytes. */
export function savedAs(name: string, bytes: Uint8Array | string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, bytes);
  return path;
}
