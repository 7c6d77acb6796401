// Protobuf messages for tests, written field by field (protobuf.dev, "Encoding"); what is written is not checked.

type Value = string | number | bigint | Uint8Array;

/** `pb([1, 'key'], [3, 7])`: numbers as varints, texts and bytes length-delimited. */
export function pb(...fields: readonly (readonly [number, Value])[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number' || typeof value === 'bigint')
        return Buffer.concat([varint(BigInt(number) << 3n), varint(BigInt.asUintN(64, BigInt(value)))]);
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return Buffer.concat([varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes]);
    }),
  );
}

function varint(value: bigint): Buffer {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...out, Number(rest)]);
}
