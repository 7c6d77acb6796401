// Reads the program as the build compiled it: sources with V8's code cache of each, in one file.
//
//   header, 4 KiB   JSON: for which Node.js, and where each unit has its source (ASCII) and its code
//   units           source, code, source, code …

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import zlib from 'node:zlib';

/** Where the source and the code of a unit begin in the file, and their lengths, in bytes. */
interface CompiledUnit {
  readonly source: readonly [number, number];
  /** Without code V8 compiles the source. */
  readonly code: readonly [number, number];
  /** `checksum` of the code. */
  readonly sum: number | null;
}

export interface CompiledHeader {
  /** What `runtime()` was at the build. */
  readonly runtime: string;
  /** Bytes of the file: a file that was cut is not used. */
  readonly size: number;
  readonly units: Readonly<Record<string, CompiledUnit>>;
}

/** The units of a program, each loaded when it is first required. */
export interface Units {
  load<T>(name: string): T;
  /** Names and scripts of the loaded ones. */
  readonly scripts: ReadonlyMap<string, Script>;
}

/**
 * Opens the file, which stays open: units that are loaded later are then of the same build.
 *
 * @param meta what the units have as `import.meta`.
 * @returns null if the file cannot be read, is not whole, or was made by another Node.js.
 */
export function openCompiled(url: URL, meta: ImportMeta): Units | null {
  const path = fileURLToPath(url);
  let file: number | undefined;
  try {
    const opened = openSync(path, 'r');
    file = opened;
    const read: StoredBytes = (start, length) => bytesAt(opened, start, length);
    const header = headerOf(read);
    if (header.runtime === runtime() && header.size === fstatSync(file).size)
      return new CompiledUnits(read, path, header, meta);
  } catch {
    // Of another build, or none: the modules are there.
  }
  if (file !== undefined) closeSync(file);
  return null;
}

/** The same of a file in memory that belongs to this Node.js. @param path of the units in stacks. */
export function compiledIn(file: Buffer, path: string, meta: ImportMeta): Units {
  const read: StoredBytes = (start, length) => file.subarray(start, start + length);
  return new CompiledUnits(read, path, headerOf(read), meta);
}

/** Reads bytes of the file. Throws where it has fewer. */
type StoredBytes = (start: number, length: number) => Buffer;

function headerOf(read: StoredBytes): CompiledHeader {
  return JSON.parse(read(0, HEADER_BYTES).toString('latin1')) as CompiledHeader;
}

/** What compiled code depends on, beside V8's flags, which V8 compares itself. */
export function runtime(): string {
  return `${process.version} ${process.platform} ${process.arch}`;
}

/** CRC-32, as V8 runs code that was damaged on the disk; null if this Node.js (before 20.15) has none. */
export function checksum(code: Uint8Array): number | null {
  return (zlib as { readonly crc32?: (data: Uint8Array) => number }).crc32?.(code) ?? null;
}

class CompiledUnits implements Units {
  readonly scripts = new Map<string, Script>();
  readonly #read: StoredBytes;
  readonly #path: string;
  readonly #header: CompiledHeader;
  readonly #meta: ImportMeta;
  readonly #require: NodeJS.Require;
  readonly #loaded = new Map<string, { exports: unknown }>();

  constructor(read: StoredBytes, path: string, header: CompiledHeader, meta: ImportMeta) {
    this.#read = read;
    this.#path = path;
    this.#header = header;
    this.#meta = meta;
    this.#require = createRequire(meta.url);
  }

  load<T>(name: string): T {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known.exports as T;
    const module = { exports: {} };
    this.#loaded.set(name, module);
    const { source, code, sum } = this.#header.units[name];
    const compiled = code[1] === 0 ? undefined : this.#read(...code);
    // V8 compiles the source where it rejects the code: of other flags, as with `node --no-opt`.
    const script = new Script(this.#read(...source).toString('latin1'), {
      filename: `${this.#path}/${name}`,
      cachedData: compiled === undefined || checksum(compiled) !== sum ? undefined : compiled,
    });
    this.scripts.set(name, script);
    const run = script.runInThisContext() as UnitFunction;
    run(module, module.exports, (id) => this.#required(id), this.#meta);
    module.exports = asValues(module.exports);
    return module.exports as T;
  }

  #required(id: string): unknown {
    if (id.startsWith('./')) return this.load(id.slice(2));
    return LATE.test(id) ? atFirstUse(() => this.#require(id)) : this.#require(id);
  }
}

/** What the build wraps each unit in. */
type UnitFunction = (module: object, exports: object, require: (id: string) => unknown, meta: ImportMeta) => void;

/** Modules of Node.js that are not loaded at its start, and that many commands do without. */
const LATE = /^(?:node:)?(?:child_process|crypto|readline|timers\/promises|fs\/promises|stream\/promises|zlib)$/;

/**
 * Replaces the getters that esbuild exports, which took two percent of the time, by their values: none changes once its unit ran. What
 * imports the unit as a module of ECMAScript looks for `__esModule`, which a copy leaves out.
 */
function asValues(exports: object): object {
  const values = { __esModule: true, ...exports };
  // V8 looks up members of an object with many by their hash, but not those of a prototype.
  Object.create(values);
  return values;
}

/**
 * Stands for a module until one of its members is asked for, which then becomes a member of the stand-in; the units name members
 * (`zlib.gunzipSync`) at each use.
 */
function atFirstUse(load: () => Record<string, unknown>): object {
  const get = (_: object, name: string, standIn: Record<string, unknown>): unknown => {
    standIn[name] = load()[name];
    return standIn[name];
  };
  return Object.create(new Proxy({}, { get })) as object;
}

function bytesAt(file: number, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let read = 0; read < length; ) {
    const more = readSync(file, bytes, read, length - read, start + read);
    if (more === 0) throw new RangeError('the file ends too early');
    read += more;
  }
  return bytes;
}

export const HEADER_BYTES = 4096;
