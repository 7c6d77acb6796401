// Finds where a breakpoint costs least in a Go function: after the stack check of its prologue, at an instruction that the kernel
// emulates instead of single-stepping it. The receiver is still in its register there.

import type { Arch, Bytes } from './elf.js';

/**
 * @param code the function's first bytes, at least PROLOGUE_BYTES.
 * @returns bytes from the function's entry; null if the code does not begin like a Go function: then no probe may be set.
 */
export function probeOffset(code: Bytes, arch: Arch): number | null {
  return arch === 'amd64' ? amd64Offset(code) : arm64Offset(code);
}

//   0   4c 8d a4 24 imm32   lea -n(%rsp),%r12         (8 bytes, or 5 with a short offset, or none in small frames)
//   8   4d 3b 66 10         cmp 0x10(%r14),%r12       (49 3b 66 10: cmp 0x10(%r14),%rsp)
//  12   0f 86 rel32         jbe morestack             (76 rel8)
//  18   55                  push %rbp                 since Go 1.21
// The kernel emulates `jbe` and `push` (arch/x86/kernel/uprobes.c: branch_setup_xol_ops, push_setup_xol_ops).
function amd64Offset(code: Bytes): number | null {
  let at = 0;
  if (matches(code, at, [0x4c, 0x8d, 0xa4, 0x24])) at += 8;
  else if (matches(code, at, [0x4c, 0x8d, 0x64, 0x24])) at += 5;
  if (!matches(code, at, at > 0 ? [0x4d, 0x3b, 0x66, 0x10] : [0x49, 0x3b, 0x66, 0x10])) return null;
  const branch = at + 4;
  const next = matches(code, branch, [0x0f, 0x86]) ? branch + 6 : matches(code, branch, [0x76]) ? branch + 2 : null;
  if (next === null) return null;
  return matches(code, next, [0x55]) ? next : branch;
}

//   0   ldr x16, [x28, #16]
//   4   sub x17, sp, #n       (not in small frames, which compare sp itself)
//   8   cmp x17, x16
//  12   b.ls morestack        emulated (arch/arm64/kernel/probes/decode-insn.c)
function arm64Offset(code: Bytes): number | null {
  if (code.length < PROLOGUE_BYTES || code.readUInt32LE(0) !== 0xf9400b90) return null;
  const isLarge = (code.readUInt32LE(4) & 0xff8003ff) >>> 0 === 0xd10003f1;
  const at = isLarge ? 8 : 4;
  const compares = code.readUInt32LE(at) === (isLarge ? 0xeb10023f : 0xeb3063ff);
  const branches = (code.readUInt32LE(at + 4) & 0xff00001f) >>> 0 === 0x54000009;
  return compares && branches ? at + 4 : null;
}

function matches(code: Bytes, at: number, wanted: readonly number[]): boolean {
  return wanted.every((byte, i) => code[at + i] === byte);
}

/** Bytes of code that are needed. */
export const PROLOGUE_BYTES = 32;
