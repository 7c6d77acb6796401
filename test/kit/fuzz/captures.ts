// Captures that something happened to: what was said is changed, then the segments, then the packets, then the file. Each
// is made of one number, so a case can be made again alone. Knows layouts; nothing of what reads them.

import { captureReader } from '../../../src/capture/capture-reader.js';
import { concat } from '../../../src/core/bytes/bytes.js';
import { fixture } from '../fixtures.js';
import {
  conversation,
  ip,
  type Packet,
  packets,
  pcap,
  pcapng,
  pcapngBlocks,
  type Sent,
  START,
  tcp,
} from '../packetiser.js';
import { type Conversation, conversations } from './conversations.js';
import { flipBytes, mutateBytes } from './mutate-bytes.js';
import { type Random, random } from './random.js';

let seeds: readonly Conversation[] | undefined;
let encrypted: readonly Packet[] | undefined;
let keys: string | undefined;

/** The capture of case `seed`. */
export function damagedCapture(seed: number): Uint8Array {
  seeds ??= conversations();
  const dice = random(seed);
  if (dice.once(80)) return encryptedCapture(dice);
  const sent: Sent[] = [];
  for (let left = 1 + dice.below(3), i = 0; left > 0; left--, i++) sent.push(...spoken(dice.pick(seeds), i, dice));
  return file(damagedPackets(packets(damagedSegments(interleaved(sent, dice), dice)), dice), dice);
}

function spoken({ turns, serverPort, open }: Conversation, index: number, dice: Random): Sent[] {
  const others = dice.pick(seeds as readonly Conversation[]).turns.map(({ bytes }) => bytes);
  const often = 1 + dice.below(6);
  const changed = turns.flatMap((turn) => {
    if (!dice.once(often)) return [turn];
    if (dice.once(12)) return [];
    if (dice.once(12)) return [turn, turn];
    if (dice.once(20)) return [{ ...turn, from: turn.from === 'client' ? ('server' as const) : ('client' as const) }];
    return [{ ...turn, bytes: mutateBytes(turn.bytes, dice, others) }];
  });
  return conversation(changed, {
    client: { address: '192.0.2.1', port: 40_000 + index },
    server: { address: '192.0.2.2', port: dice.once(10) ? 1 + dice.below(65_535) : serverPort },
    segmentSize: dice.pick([1448, 1448, 1448, 4000, 536, 97]),
    open: open && !dice.once(10),
    close: !dice.once(5),
    clientSeq: dice.once(5) ? 0xffffff00 + dice.below(256) : dice.below(2 ** 32),
    serverSeq: dice.below(2 ** 32),
    start: START + BigInt(dice.below(2000)) * 1_000_000n,
    step: BigInt(dice.pick([1000, 100_000, 1_000_000, 50_000_000, 2_000_000_000])),
  });
}

function interleaved(sent: readonly Sent[], dice: Random): Sent[] {
  return dice.once(4) ? [...sent] : [...sent].sort((a, b) => Number((a.time ?? 0n) - (b.time ?? 0n)));
}

function damagedSegments(sent: readonly Sent[], dice: Random): Sent[] {
  const often = dice.pick([1e9, 100, 20, 5]);
  return sent.flatMap((one): Sent[] => {
    if (!dice.once(often)) return [one];
    switch (dice.below(7)) {
      case 0:
        return [];
      case 1:
        return [one, one];
      case 2:
        return [{ ...one, flags: dice.below(64) }];
      case 3:
        return [{ ...one, seq: ((one.seq ?? 0) + dice.below(64) - 32) >>> 0 }];
      case 4:
        return [{ ...one, ack: ((one.ack ?? 0) + dice.pick([1, 1000, -1000, 1 << 20])) >>> 0 }];
      case 5:
        return [{ ...one, payload: mutateBytes(one.payload as Uint8Array, dice) }];
      default:
        return [{ ...one, time: (one.time ?? START) + BigInt(dice.below(1000) - 500) * 1_000_000_000n }];
    }
  });
}

function damagedPackets(list: readonly Packet[], dice: Random): Packet[] {
  const often = dice.pick([1e9, 1e9, 100, 20, 5]);
  const out = list.flatMap((one): Packet[] => {
    if (!dice.once(often)) return [one];
    const { bytes } = one;
    switch (dice.below(6)) {
      case 0:
        return [{ ...one, bytes: flipBytes(bytes, dice, 0.02), originalLength: bytes.length }];
      case 1:
        return [{ ...one, bytes: bytes.slice(0, dice.below(bytes.length)), originalLength: bytes.length }];
      case 2:
        return [{ ...one, bytes: mutateBytes(bytes, dice) }];
      case 3: {
        const out = Uint8Array.from(bytes);
        out[14 + dice.below(40)] = dice.below(256);
        return [{ ...one, bytes: out }];
      }
      case 4:
        return [{ ...one, originalLength: dice.below(2 ** 31) }];
      default:
        return [
          {
            ...one,
            bytes: mutateBytes(
              concat([
                bytes.slice(0, 14),
                ip('192.0.2.1', '192.0.2.2', dice.pick([4, 6, 17, 41, 47]), tcp(SOME), {
                  more: dice.once(3),
                  offset: dice.below(4) * 8,
                }),
              ]),
              dice,
            ),
          },
        ];
    }
  });
  if (dice.once(8)) for (let i = 1; i < out.length; i++) if (dice.once(4)) [out[i - 1], out[i]] = [out[i], out[i - 1]];
  return out;
}

function file(list: readonly Packet[], dice: Random): Uint8Array {
  const whole = dice.once(3)
    ? pcapng(list, 1, dice.once(2))
    : pcap(list, { variant: dice.pick(['micro', 'nano', 'modified'] as const), bigEndian: dice.once(2) });
  if (dice.once(10)) return flipBytes(whole, dice, 0.02);
  if (dice.once(10)) return mutateBytes(whole, dice);
  return dice.once(10) ? whole.slice(0, dice.below(whole.length)) : whole;
}

/** A piece of a real TLS capture with its secrets inside, so that decryption is met too. */
function encryptedCapture(dice: Random): Uint8Array {
  keys ??= Buffer.from(fixture('clients-tls/keys.log')).toString('latin1');
  encrypted ??= captureReader({ capture: 0 })
    .feed(fixture('clients-tls/capture.pcap'))
    .flatMap((item) => (item.kind === 'frame' ? [{ time: item.origin.time, bytes: Uint8Array.from(item.data) }] : []));
  const from = dice.once(2) ? 0 : dice.below(encrypted.length);
  const some = encrypted.slice(from, from + 20 + dice.below(150));
  const blocks = pcapngBlocks();
  const damaged = damagedPackets(some, dice);
  const said = dice.once(8) ? Buffer.from(mutateBytes(Buffer.from(keys), dice)).toString('latin1') : keys;
  const all = concat([
    blocks.section(),
    blocks.interface(CLIENTS_LINK_TYPE),
    blocks.secrets(0x544c534b, said),
    ...damaged.map((one) => blocks.enhanced(one)),
  ]);
  return dice.once(6) ? mutateBytes(all, dice) : all;
}

const SOME: Sent = {
  source: { address: '192.0.2.1', port: 40_000 },
  destination: { address: '192.0.2.2', port: 8080 },
  seq: 1001,
  payload: 'GET / HTTP/1.1\r\n\r\n',
};
const CLIENTS_LINK_TYPE = 276;
