// The files of a recording: a folder for the user, and one of our own, for its owner only, that goes with the process.
// Knows files and their modes.

import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { captureReader, pcapngDrops, pcapngHead, pcapngPacket } from '../index.js';
import { readCapture, sayWhy } from './input.js';
import { Trouble } from './trouble.js';

/** Makes the folder that the user named, or one named after the time. Throws Trouble. */
export function recordFolder(path: string | undefined): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const folder = path ?? `kubeseq-${stamp}`;
  try {
    mkdirSync(folder, { recursive: true });
    if (!statSync(folder).isDirectory())
      throw new Trouble(`-w ${folder}: is a file; record writes several, into a folder`);
  } catch (error) {
    if (error instanceof Trouble) throw error;
    const isFile = (error as { code?: string }).code === 'EEXIST';
    throw new Trouble(`-w ${folder}: ${isFile ? 'is a file; record writes several, into a folder' : sayWhy(error)}`);
  }
  return folder;
}

/** A folder for what nobody else may read: it is removed when the process ends, however it does that by itself. */
export function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Writes what tcpdump wrote as pcapng.
 *
 * @param keyLog secrets that go into it; absent: none.
 * @param dropped packets that tcpdump lost.
 */
export async function writePcapng(from: string, to: string, dropped: number, keyLog?: string): Promise<void> {
  const temporary = `${to}.part`;
  const out = createWriteStream(temporary, { mode: 0o600 });
  const failed = finished(out);
  failed.catch(() => {});
  let last = 0n;
  let begun = false;
  const begin = (linkType: number): void => {
    if (!begun) out.write(pcapngHead(linkType, { keyLog }));
    begun = true;
  };
  try {
    const reader = captureReader({ capture: 0 });
    const take = (items: ReturnType<typeof reader.feed>): void => {
      for (const item of items) {
        if (item.kind === 'capture-report') begin(item.linkTypes[0] ?? ETHERNET);
        if (item.kind !== 'frame') continue;
        begin(item.linkType);
        last = item.origin.time;
        out.write(pcapngPacket(item));
      }
    };
    for await (const chunk of readCapture(from)) {
      take(reader.feed(chunk));
      if (out.writableNeedDrain) await Promise.race([new Promise<void>((go) => out.once('drain', () => go())), failed]);
    }
    take(reader.end());
    out.end(pcapngDrops(last, dropped));
    await failed;
    chmodSync(temporary, 0o600);
    await rename(temporary, to);
  } catch (error) {
    out.destroy();
    rmSync(temporary, { force: true });
    throw error instanceof Trouble ? error : new Trouble(`${to}: ${sayWhy(error)}`);
  }
}

/** LINKTYPE_ETHERNET, for a capture without packets. */
const ETHERNET = 1;
