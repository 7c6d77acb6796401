import { describe, expect, it } from 'vitest';
import { fixture } from '../../test/kit/fixtures.js';
import { HPACK_FIELDS, headerProbeLine, headerReport, ObservedTables, type ReadMemory } from './hpack-probe.js';

const LINE =
  '  kube-apiserver-16292   [001] DBZff  5421.229659: headers_812_ab_3: (0x6ddb20) de=0xc000a04000 g=0xc000002380 bn=5 ' +
  'b0=0xc0bfd7d882 b1=0x0 b2=0x0 b3=0x0 el=2 ev=224';

describe('the probe on HPACK decoders', () => {
  it('is what uprobe_events takes', () => {
    expect(headerProbeLine('amd64', 0x1234, '/x', 'kubeseq/headers_1_1')).toBe(
      'p:kubeseq/headers_1_1 /x:0x1234 de=%ax:x64 g=%r14:x64 bn=%cx:u64 ' +
        'b0=+0(%bx):x64 b1=+8(%bx):x64 b2=+16(%bx):x64 b3=+24(%bx):x64 el=+8(%ax):u64 ev=+24(%ax):u64',
    );
    expect(headerProbeLine('arm64', 0x1234, '/x', 'e')).toContain('de=%x0:x64 g=%x28:x64 bn=%x2:u64 b0=+0(%x1):x64');
  });

  it('reports a block, and how many fields were inserted before it', () => {
    expect(headerReport(LINE)).toEqual({
      program: 3,
      thread: 16292,
      goroutine: '0xc000002380',
      time: 5_421_229_659_000n,
      decoder: 0xc000a04000,
      length: 5,
      start: '82d8d7bfc0',
      inserted: 226,
    });
  });

  it.each([
    ['another line', 'x de=0x1'],
    ['nothing to know it by', LINE.replace('bn=5', 'bn=0')],
    ['more than a frame', LINE.replace('bn=5', 'bn=99999')],
    ['a table that is none', LINE.replace('el=2', 'el=99999')],
  ])('%s: no report', (_, line) => expect(headerReport(line)).toBeNull());

  it('the fields lie where the DWARF of each version has them', () => {
    const rows = JSON.parse(Buffer.from(fixture('go-programs/hpack-fields.json')).toString()) as Record<
      string,
      Record<string, number>
    >;
    expect(Object.keys(rows).length).toBeGreaterThanOrEqual(40);
    for (const [version, row] of Object.entries(rows)) {
      const of = (name: string): number => row[`vendor/golang.org/x/net/http2/hpack.${name}`];
      const table = of('Decoder.dynTab') + of('dynamicTable.table');
      expect(HPACK_FIELDS, version).toEqual({
        entries: table + of('headerFieldTable.ents'),
        evicted: table + of('headerFieldTable.evictCount'),
        name: of('HeaderField.Name'),
        value: of('HeaderField.Value'),
        // A bool after two strings, up to the next word.
        size: of('HeaderField.Sensitive') + 8,
      });
    }
  });
});

describe('ObservedTables', () => {
  const ENDS = { local: { address: '192.0.2.10', port: 6443 }, remote: { address: '192.0.2.11', port: 46130 } };
  const report = headerReport(LINE)!;

  /** A process with a decoder at its address. */
  function memory(
    entries: readonly (readonly [string, string])[],
    evicted: number,
  ): { read: ReadMemory; bytes: Map<number, Buffer> } {
    const bytes = new Map<number, Buffer>();
    const head = Buffer.alloc(32);
    head.writeBigUInt64LE(0x9000n, 0);
    head.writeBigUInt64LE(BigInt(entries.length), 8);
    head.writeBigUInt64LE(BigInt(evicted), 24);
    bytes.set(report.decoder, head);
    const table = Buffer.alloc(entries.length * 40);
    entries.flat().forEach((text, i) => {
      const at = 0x10000 + i * 0x100;
      const field = (i >> 1) * 40 + (i & 1) * 16;
      table.writeBigUInt64LE(BigInt(at), field);
      table.writeBigUInt64LE(BigInt(text.length), field + 8);
      bytes.set(at, Buffer.from(text));
    });
    bytes.set(0x9000, table);
    return { bytes, read: (address, length) => bytes.get(address)?.subarray(0, length) ?? null };
  }

  it('writes what a table holds, and later only what is new', () => {
    const tables = new ObservedTables();
    const { read } = memory(
      [
        [':path', '/a'],
        ['accept', '*/*'],
      ],
      224,
    );
    expect(tables.isDue(1, report)).toBe(true);
    expect(tables.observe(1, report, ENDS, read, 0n)).toMatch(
      / block=5:82d8d7bfc0 inserted=226 time=5421\.229659000 entries=225:OnBhdGg=:L2E=,226:YWNjZXB0:Ki8q$/,
    );
    expect(tables.isDue(1, { ...report, time: report.time + 1_000_000_000n })).toBe(false);
    const later = { ...report, inserted: 227, time: report.time + 2_000_000_000n };
    expect(tables.isDue(1, later)).toBe(true);
    const next = memory(
      [
        [':path', '/a'],
        ['accept', '*/*'],
        ['x', 'y'],
      ],
      224,
    );
    expect(tables.observe(1, later, ENDS, next.read, 0n)).toMatch(/ entries=227:eA==:eQ==$/);
  });

  it('attributes a later decoder of the same goroutine to another connection', () => {
    const tables = new ObservedTables();
    const { read, bytes } = memory([[':path', '/a']], 225);
    expect(tables.observe(1, report, ENDS, read, 0n)).not.toBeNull();
    bytes.set(0xc000b00000, bytes.get(report.decoder)!);
    expect(tables.observe(1, { ...report, decoder: 0xc000b00000 }, ENDS, read, 0n)).toBeNull();
    // The same memory with fewer insertions is a new decoder.
    expect(tables.observe(1, { ...report, inserted: 3 }, ENDS, read, 0n)).toBeNull();
  });

  it('emits nothing for a table that changes while it is read, or cannot be read', () => {
    const { read, bytes } = memory([[':path', '/a']], 225);
    let reads = 0;
    const moving: ReadMemory = (address, length) => {
      if (address === report.decoder) reads += 1;
      const found = read(address, length);
      return reads === 2 && found !== null ? Buffer.from(found.map((byte) => byte ^ 1)) : found;
    };
    expect(new ObservedTables().observe(1, report, ENDS, moving, 0n)).toBeNull();
    bytes.delete(0x9000);
    expect(new ObservedTables().observe(1, report, ENDS, read, 0n)).toBeNull();
  });
});
