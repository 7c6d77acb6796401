// Makes a fixture of a Go executable: the same file with zeros everywhere but in what tells where a function is, gzipped.
// A program of 5 MiB becomes some kilobytes, and none of its code or text stays.
//   node lab/go-extract.js EXECUTABLE... FOLDER
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const { outputFiles } = await build({
  stdin: {
    contents: ['elf', 'go-function', 'pclntab', 'probe', 'record-probe']
      .map((name) => `export * from './keys/${name}.js';`)
      .join(''),
    resolveDir: fileURLToPath(new URL('../src', import.meta.url)),
  },
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
});
const {
  Elf,
  findGoFunction,
  findRecordProbes,
  goTableOf,
  findFunction,
  KEY_LOG_FUNCTION,
  openGoProgram,
  RECORD_FUNCTIONS,
} = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);

const args = process.argv.slice(2);
const folder = args.pop();
for (const path of args) {
  const whole = readFileSync(path);
  const kept = Buffer.alloc(whole.length);
  const keep = (offset, length) => whole.copy(kept, offset, offset, offset + length);
  const reading = (bytes) => (offset, length) => bytes.subarray(offset, offset + length);
  const elf = Elf.open(reading(whole));
  const at = (address, length) => keep(elf.offsetOf(address), length);
  // The headers, and the names of the sections.
  keep(0, 64);
  keep(Number(whole.readBigUInt64LE(32)), whole.readUInt16LE(54) * whole.readUInt16LE(56));
  const sections = Number(whole.readBigUInt64LE(40));
  keep(sections, whole.readUInt16LE(58) * whole.readUInt16LE(60));
  const names = sections + whole.readUInt16LE(62) * 64;
  keep(Number(whole.readBigUInt64LE(names + 24)), Number(whole.readBigUInt64LE(names + 32)));
  // The function table: its header, the function's entry, its data, its name.
  const { address, header, table } = goTableOf(elf);
  const field = header.layout === '1.16' ? 8 : 4;
  at(address, 72);
  const entries = [KEY_LOG_FUNCTION, ...Object.values(RECORD_FUNCTIONS)].map((name) => {
    const entry = findFunction(table, header, name);
    const data =
      header.functionsAt +
      (field === 8 ? Number(table.readBigUInt64LE(entry.at + 8)) : table.readUInt32LE(entry.at + 4));
    at(address + entry.at, 2 * field);
    at(address + data, field + 4);
    at(address + header.namesAt + table.readUInt32LE(data + field) - 1, name.length + 2);
    return address + entry.at;
  });
  // The code that probes of records look at before they are set.
  const program = openGoProgram(reading(whole));
  for (const name of Object.values(RECORD_FUNCTIONS)) keep(program.find(name).offset, 32);
  // What points to the table, and the Go version.
  const pointers = [];
  for (const segment of elf.segments) {
    const wanted = Buffer.alloc(8);
    wanted.writeBigUInt64LE(BigInt(address));
    const bytes = elf.bytesAt(segment.address, segment.size);
    for (let i = bytes.indexOf(wanted); i >= 0; i = bytes.indexOf(wanted, i + 1)) pointers.push(segment.address + i);
  }
  pointers.push(...elf.relocations.pointersTo(address));
  for (const pointer of pointers) at(pointer, 200);
  const info = elf.section('.go.buildinfo');
  at(info.address, Math.min(info.size, 128));
  const version = elf.pointerAt(info.address + 16);
  const text = version === 0 ? 0 : elf.pointerAt(version);
  for (const place of [version, text]) if (elf.offsetOf(place) > 0) at(place, 16);
  keepRelocations(elf, whole, kept, [...pointers, info.address, version, ...entries]);
  const [before, after] = [whole, kept].map((bytes) =>
    JSON.stringify([
      findGoFunction(reading(bytes), KEY_LOG_FUNCTION),
      findRecordProbes(openGoProgram(reading(bytes))),
      ...Object.values(RECORD_FUNCTIONS).map((name) => findGoFunction(reading(bytes), name)),
    ]),
  );
  if (before !== after) throw new Error(`${path}: ${before} became ${after}`);
  writeFileSync(join(folder, `${basename(path)}.gz`), gzipSync(kept, { level: 9 }));
  console.log(path, after);
}

/** The dynamic section, and of the relocations those that write near one of `places`. */
function keepRelocations(elf, whole, kept, places) {
  for (const name of ['.dynamic', '.rela.dyn', '.rela']) {
    const section = elf.section(name);
    if (section === null) continue;
    for (let at = section.offset; at < section.offset + section.size; at += name === '.dynamic' ? 16 : 24) {
      const where = Number(whole.readBigUInt64LE(at));
      const near = places.some((place) => where >= place && where < place + 200);
      if (name === '.dynamic') whole.copy(kept, at, at, at + 16);
      else if (near) whole.copy(kept, at, at, at + 24);
    }
  }
}
