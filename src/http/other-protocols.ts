// Names the protocol of a connection that is not HTTP, by what its sides send first. It is not read; a reader learns what it is.

import { latin1 } from '../core/bytes/bytes.js';
import type { FirstBytes } from '../core/first-bytes.js';
import { textSections } from '../core/text-table.js';
import PROTOCOLS from './other-protocols.txt?raw';

interface OtherProtocol {
  readonly name: string;
  /** Of first bytes, a character each; its group is a version that the server tells. */
  readonly client?: RegExp;
  readonly server?: RegExp;
  /** The version in what the server says later. */
  readonly later?: RegExp;
}

const ROWS: readonly OtherProtocol[] = textSections(PROTOCOLS).map(({ heading, lines }) => ({
  name: heading,
  ...Object.fromEntries(lines.map((line) => [line.split(' ', 1)[0], new RegExp(line.slice(line.indexOf(' ') + 1))])),
}));

/** @returns in words, with the version that the server tells; null: none of these. */
export function otherProtocol({ client, server }: FirstBytes): string | null {
  const ofClient = latin1(client, 0, Math.min(client.length, LOOKED_AT));
  const ofServer = latin1(server, 0, Math.min(server.length, LOOKED_AT));
  for (const row of ROWS) {
    const match = row.client?.exec(ofClient) ?? row.server?.exec(ofServer);
    if (match == null) continue;
    return match[1] === undefined ? row.name : `${row.name} (server greeting ${match[1]})`;
  }
  return null;
}

/**
 * @param name as `otherProtocol` gave it. @param bytes of the server, after the first ones.
 * @returns it with the version that they tell; null: they tell none.
 */
export function withVersion(name: string, bytes: Uint8Array): string | null {
  const later = ROWS.find((row) => row.name === name)?.later;
  const version = later?.exec(latin1(bytes, 0, Math.min(bytes.length, VERSION_LOOKED_AT)))?.[1];
  return version === undefined ? null : `${name} (server version ${version})`;
}

/** Bytes: of a segment. */
const VERSION_LOOKED_AT = 1460;
/** Bytes: of any greeting. */
const LOOKED_AT = 320;
