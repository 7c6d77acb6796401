import { describe, expect, it } from 'vitest';
import type { GoFunction } from './go-function.js';
import { bpftraceProgram, uprobeLine } from './probe.js';

function at(changes: Partial<GoFunction>): GoFunction {
  return { arch: 'amd64', goVersion: 'go1.24.6', layout: '1.20', address: 0x6ddb20, offset: 0x2ddb20, ...changes };
}

const AMD64 = 'label=+0(%bx):x8[32] ln=%cx:u64 rnd=+0(%di):x8[32] n=%r10:u64 sec=+0(%r9):x8[48]';
const ARM64 = 'label=+0(%x1):x8[32] ln=%x2:u64 rnd=+0(%x3):x8[32] n=%x7:u64 sec=+0(%x6):x8[48]';
const STACK = 'label=+0($stack2):x8[32] ln=$stack3:u64 rnd=+0($stack4):x8[32] n=$stack8:u64 sec=+0($stack7):x8[48]';

describe('uprobeLine', () => {
  it('is what uprobe_events takes', () => {
    expect(uprobeLine(at({}), '/usr/bin/kubectl')).toBe(`p:kubeseq/keylog /usr/bin/kubectl:0x2ddb20 ${AMD64}`);
    expect(uprobeLine(at({}), '/proc/7/exe', 'kubeseq/keylog_7_0')).toMatch(/^p:kubeseq\/keylog_7_0 \/proc\/7\/exe:0x/);
  });

  // Go 1.17 and 1.18 release notes: register-based calls on amd64, then on arm64.
  it.each([
    ['amd64', 'go1.16.15', '1.16', STACK],
    ['amd64', 'go1.17', '1.16', AMD64],
    ['amd64', 'devel go1.27-4f1d2c', '1.20', AMD64],
    ['amd64', null, '1.16', AMD64],
    ['arm64', 'go1.16.15', '1.16', STACK],
    ['arm64', 'go1.17.13', '1.16', STACK],
    ['arm64', 'go1.18', '1.18', ARM64],
    ['arm64', null, '1.18', ARM64],
    ['arm64', null, '1.16', STACK],
  ] as const)('%s %s: arguments where that Go passes them', (arch, goVersion, layout, expected) => {
    expect(uprobeLine(at({ arch, goVersion, layout }), '/x').split(' ').slice(2).join(' ')).toBe(expected);
  });
});

describe('bpftraceProgram', () => {
  it('has a probe for each program, which prints a line of a key log', () => {
    const text = bpftraceProgram([
      { found: at({}), file: '/usr/bin/kubectl' },
      { found: at({ arch: 'arm64' }), file: '/opt/my tools/etcd' },
    ]);
    expect(text).toContain('uprobe:/usr/bin/kubectl:0x2ddb20\n{');
    expect(text).toContain('uprobe:"/opt/my tools/etcd":0x2ddb20\n{');
    expect(text).toContain('$label = reg("cx");\n  $first = *(uint8 *)reg("bx");\n  $secret = reg("r10");');
    expect(text).toContain('printf("CLIENT_RANDOM %rx %rx\\n", buf(reg("di"), 32), buf(reg("r9"), 48));');
    expect(text.match(/buf\(reg\("x6"\), (?:32|48)\)/g)).toHaveLength(10);
  });
});
