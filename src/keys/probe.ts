// Writes probes on Go's TLS handshakes: a line for tracefs (Documentation/trace/uprobetracer.rst) and a program for bpftrace.

import { goMinor } from './build-info.js';
import type { Arch } from './elf.js';
import type { GoFunction } from './go-function.js';

/** crypto/tls calls it at each handshake with (receiver, label string, clientRandom, secret []byte), key log or not. */
export const KEY_LOG_FUNCTION = 'crypto/tls.(*Config).writeKeyLog';

/** Where the arguments are, as tracefs names it: registers, or words of the stack (src/cmd/compile/abi-internal.md). */
interface Arguments {
  readonly label: string;
  readonly labelLength: string;
  readonly random: string;
  readonly secret: string;
  readonly secretLength: string;
}

/**
 * @returns the line for `uprobe_events` that sets the probe.
 *
 * @param file path of the executable as the kernel finds it, without white space.
 * @param event `GROUP/NAME`.
 */
export function uprobeLine(found: GoFunction, file: string, event = 'kubeseq/keylog'): string {
  const { label, labelLength, random, secret, secretLength } = argumentsOf(found);
  const place = `p:${event} ${file}:0x${found.offset.toString(16)}`;
  const first = `label=+0(${label}):x8[${LABEL_BYTES}] ln=${labelLength}:u64 rnd=+0(${random}):x8[${RANDOM_BYTES}]`;
  return `${place} ${first} n=${secretLength}:u64 sec=+0(${secret}):x8[${SECRET_BYTES}]`;
}

/**
 * The same as a bpftrace program that prints lines of a key log; its first lines explain how to run it. Written for 0.17; the program
 * avoids what differs by version: how long a `str` is, and whether `%rx` writes `\\x` before each byte.
 */
export function bpftraceProgram(probes: readonly { readonly found: GoFunction; readonly file: string }[]): string {
  return [...BPFTRACE_HEAD, ...probes.map(({ found, file }) => bpftraceProbe(found, file))].join('\n');
}

function bpftraceProbe(found: GoFunction, file: string): string {
  const value = (name: string): string => {
    const word = /^\$stack(\d+)$/.exec(name);
    return word === null ? `reg("${name.slice(1)}")` : `*(uint64 *)(reg("sp") + ${Number(word[1]) * 8})`;
  };
  const { label, labelLength, random, secret, secretLength } = argumentsOf(found);
  const lines = LABELS.flatMap((text) => SECRET_LENGTHS.map((length) => ({ text, length }))).flatMap(
    ({ text, length }) => [
      `  if ($label == ${text.length} && $first == ${text.charCodeAt(0)} && $secret == ${length}) {`,
      `    printf("${text} %rx %rx\\n", buf(${value(random)}, ${RANDOM_BYTES}), buf(${value(secret)}, ${length}));`,
      '  }',
    ],
  );
  const quoted = /^[\w./-]+$/.test(file) ? file : `"${file.replace(/["\\\n]/g, '\\$&')}"`;
  return [
    `uprobe:${quoted}:0x${found.offset.toString(16)}`,
    '{',
    `  $label = ${value(labelLength)};`,
    `  $first = *(uint8 *)${value(label)};`,
    `  $secret = ${value(secretLength)};`,
    ...lines,
    '}',
    '',
  ].join('\n');
}

/** Registers since Go 1.17 on amd64 and 1.18 on arm64; words of the stack, return address first, before. */
function argumentsOf({ arch, goVersion, layout }: GoFunction): Arguments {
  const minor = goMinor(goVersion) ?? (layout === '1.16' ? 17 : 18);
  return minor >= REGISTERS_SINCE[arch] ? REGISTERS[arch] : STACK;
}

const REGISTERS_SINCE: Readonly<Record<Arch, number>> = { amd64: 17, arm64: 18 };
//   integer registers in order: receiver | label: pointer, length | random: pointer, length, capacity | secret: the same
const REGISTERS: Readonly<Record<Arch, Arguments>> = {
  amd64: { label: '%bx', labelLength: '%cx', random: '%di', secret: '%r9', secretLength: '%r10' },
  arm64: { label: '%x1', labelLength: '%x2', random: '%x3', secret: '%x6', secretLength: '%x7' },
};
const STACK: Arguments = {
  label: '$stack2',
  labelLength: '$stack3',
  random: '$stack4',
  secret: '$stack7',
  secretLength: '$stack8',
};

/** Labels of crypto/tls (handshake_client.go, handshake_server.go and their _tls13 counterparts); length and first letter identify each. */
const LABELS: readonly string[] = [
  'CLIENT_RANDOM',
  'CLIENT_HANDSHAKE_TRAFFIC_SECRET',
  'SERVER_HANDSHAKE_TRAFFIC_SECRET',
  'CLIENT_TRAFFIC_SECRET_0',
  'SERVER_TRAFFIC_SECRET_0',
];
const BPFTRACE_HEAD: readonly string[] = [
  '// As root; --unsafe only says that a stripped program has no symbols to check the place against:',
  "//   bpftrace --unsafe -q keys.bt | sed -u 's/\\\\x//g' > keys.log",
  '',
];

/** Bytes read of a label: CLIENT_HANDSHAKE_TRAFFIC_SECRET has 31. */
export const LABEL_BYTES = 32;
/** Bytes of a client random (RFC 8446, 4.1.2). */
export const RANDOM_BYTES = 32;
/** Bytes read of a secret: those of SHA-384 and TLS 1.2's master secret have 48, those of SHA-256 32. */
export const SECRET_BYTES = 48;
export const SECRET_LENGTHS: readonly number[] = [32, 48];
