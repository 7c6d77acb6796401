// Names the files of a ring: captures that `tcpdump -C -W` writes, and the TLS secrets that open each beside it; and removes the oldest.
//
//   ring.pcap00 ring.keys00   ring.pcap01 ring.keys01   …        [ next: removed before tcpdump begins it ]

import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { RING_FILE, RING_NAME, RING_REPORTS, ringSecretsIn } from '../input/ring-names.js';
import type { RingSize } from '../input/tcpdump.js';
import type { LastReports } from '../keys/tracefs.js';
import type { OutputFolder } from '../output/output-folder.js';

export class RingFiles {
  readonly tcpdump: RingSize;
  /** Where the kernel's last reports of handshakes are saved if this process is killed. */
  readonly lastReports: LastReports;
  readonly #folder: OutputFolder;
  readonly #count: number;
  readonly #secretsLimit: number;
  #at = 0;
  /** What each capture was at the last look. */
  #seen: readonly string[] = [];
  #secrets: number | null = null;
  #written = 0;
  #leftOut = 0;
  readonly #recent: { readonly time: number; readonly lines: readonly string[] }[] = [];

  /** @param folder as of `ringFolder`. @param size in bytes, of all files together. */
  constructor(folder: OutputFolder, size: number) {
    const packets = size * PACKETS_SHARE;
    const megabytes = Math.max(1, Math.floor(packets / MOST_FILES / MB));
    // tcpdump looks at the size before it writes a packet.
    this.#count = Math.min(MOST_FILES, Math.floor(packets / (megabytes * MB + LONGEST_PACKET)));
    const limit = Math.min(size * REPORTS_SHARE, REPORTS_LIMIT);
    this.lastReports = { path: join(folder.path, RING_REPORTS), limit };
    this.#secretsLimit = (size - limit) / this.#count - megabytes * MB - LONGEST_PACKET;
    this.#folder = folder;
    this.tcpdump = { folder, name: PACKETS, megabytes, files: this.#count };
  }

  /**
   * Before tcpdump begins with the first file: what an earlier run left comes after it, the oldest first. Links and what else has a
   * name of the ring, and is no file that is in this folder alone, are removed: tcpdump would write into what they name.
   */
  begin(): void {
    const own = readdirSync(this.#folder.entry('.')).filter((name) => RING_NAME.test(name));
    for (const name of own) if (!this.#isLeft(name)) rmSync(this.#folder.entry(name), { recursive: true });
    const found = own.filter((name) => RING_FILE.test(name) && this.#isLeft(name));
    const captures = found.filter((name) => name.startsWith(PACKETS));
    const time = (name: string): number => statSync(this.#folder.entry(name)).mtimeMs;
    const kept = captures.sort((a, b) => time(a) - time(b)).slice(-(this.#count - 1));
    const numbers = kept.map((name) => name.slice(PACKETS.length));
    const move = (from: string, to: string): void => {
      for (const kind of [PACKETS, SECRETS])
        if (existsSync(this.#folder.entry(`${kind}${from}`)))
          renameSync(this.#folder.entry(`${kind}${from}`), this.#folder.entry(`${kind}${to}`));
    };
    for (const name of found) if (!numbers.includes(name.slice(PACKETS.length))) rmSync(this.#folder.entry(name));
    for (const number of numbers) move(number, `-${number}`);
    numbers.forEach((number, i) => {
      move(`-${number}`, this.#number(this.#count - numbers.length + i));
    });
    this.#open();
    this.#takeReports();
  }

  /**
   * @param known lines of open connections, of which the next file needs the secrets.
   * @returns whether tcpdump has begun another file. The oldest one goes then, with its secrets.
   */
  followTcpdump(known: () => readonly string[] = () => []): boolean {
    const now = this.#look();
    const before = this.#at;
    // It may have begun several since.
    for (let next = this.#next; next !== before && now[next] !== this.#seen[next]; next = this.#next) {
      this.#at = next;
      rmSync(this.#path(SECRETS, next), { force: true });
    }
    this.#seen = now;
    if (this.#at === before) return false;
    this.close();
    this.#open();
    this.#carry(known());
    this.#takeReports();
    return true;
  }

  /** @param lines of a key log, without line ends. */
  write(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const time = Date.now();
    this.#recent.push({ time, lines });
    while (this.#recent[0].time < time - OVERLAP_MS) this.#recent.shift();
    this.#leftOut += this.#append(lines);
  }

  /** Lines of secrets that had no room. */
  get leftOut(): number {
    return this.#leftOut;
  }

  close(): void {
    if (this.#secrets !== null) closeSync(this.#secrets);
    this.#secrets = null;
  }

  /** What a killed run left. */
  #takeReports(): void {
    const path = this.#folder.entry(RING_REPORTS);
    if (!existsSync(path)) return;
    this.write(ringSecretsIn(path, readFileSync(path, 'latin1')).split('\n').slice(0, -1));
    rmSync(path);
  }

  /** What opens connections of before in the file that begins; it leaves some of the room to new ones. */
  #carry(known: readonly string[]): void {
    const since = Date.now() - OVERLAP_MS;
    const late = new Set(this.#recent.flatMap(({ time, lines }) => (time >= since ? lines : [])));
    const more = known.filter((line) => !late.has(line));
    this.#leftOut += this.#append([...late]) + this.#append(more, this.#secretsLimit * CARRIED_SHARE);
  }

  /** @param limit in bytes, of the file; less for tables, without which only some fields are missing. @returns how many lines had no room. */
  #append(lines: readonly string[], limit = this.#secretsLimit): number {
    let text = '';
    let leftOut = 0;
    for (const line of lines) {
      const room = line.startsWith(TABLE) ? limit * TABLES_SHARE : limit;
      if (this.#written + text.length + line.length < room) text += `${line}\n`;
      else leftOut += 1;
    }
    if (text === '') return leftOut;
    this.#secrets ??= openSync(this.#path(SECRETS, this.#at), NEW_FILE, OWNER_ONLY);
    const bytes = Buffer.from(text, 'latin1');
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#secrets, bytes, done);
    this.#written += bytes.length;
    return leftOut;
  }

  /** The file at hand has no secrets yet. The next one goes, so that who reads it has a file that nobody changes; not when it is due. */
  #open(): void {
    this.#written = 0;
    const size = statSync(this.#path(PACKETS, this.#at), { throwIfNoEntry: false })?.size ?? 0;
    if (size > (this.tcpdump.megabytes * MB) / 2) return;
    for (const kind of [PACKETS, SECRETS]) rmSync(this.#path(kind, this.#next), { force: true });
    this.#seen = this.#look();
  }

  #look(): string[] {
    return Array.from({ length: this.#count }, (_, at) => {
      const found = statSync(this.#path(PACKETS, at), { throwIfNoEntry: false });
      return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
    });
  }

  /** A file that an earlier run left, and is known by no other name; not what one left that was killed while it renamed files. */
  #isLeft(name: string): boolean {
    const found = lstatSync(this.#folder.entry(name), { throwIfNoEntry: false });
    return found?.isFile() === true && found.nlink === 1 && !name.includes('-');
  }

  get #next(): number {
    return (this.#at + 1) % this.#count;
  }

  #path(kind: string, at: number): string {
    return this.#folder.entry(`${kind}${this.#number(at)}`);
  }

  /** As tcpdump writes it: with as many digits as the last has. */
  #number(at: number): string {
    return String(at).padStart(String(this.#count - 1).length, '0');
  }
}

const MB = 1_000_000;
const PACKETS = 'ring.pcap';
const SECRETS = 'ring.keys';
const MOST_FILES = 20;
/** The rest is for secrets. */
const PACKETS_SHARE = 0.8;
/** Limit in bytes: the longest IP packet with its headers. */
const LONGEST_PACKET = 65_700;
/** ms of secrets that are in two files: tcpdump writes a packet within a second. */
export const OVERLAP_MS = 1500;
const TABLE = '# kubeseq header-table ';
const TABLES_SHARE = 0.8;
const CARRIED_SHARE = 0.6;
const REPORTS_SHARE = 1 / 64;
/** Limit: bytes of the reports that a killed run leaves, handshakes of half a second at some hundred new connections a second. */
const REPORTS_LIMIT = 2_000_000;
const OWNER_ONLY = 0o600;
const NEW_FILE = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
