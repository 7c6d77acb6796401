// The hostile capture and the same without evil as files, and what outputs say of them: each is made once for all judges.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOSTILE, hostileCapture } from './hostile.js';
import { newFolder, type Output, outputs, type Said, type Subject, said } from './outputs.js';

export const FOLDER = newFolder('hostile');
export const EVIL = file('evil.pcap', hostileCapture(HOSTILE));
export const HARMLESS = file('harmless.pcap', hostileCapture(HOSTILE.map((_, i) => `harmless${i}`)));
const SUBJECT: Subject = {
  objects: [['pod/end', 'end']],
  seq: 1,
  expected: ['[REQ] POST /api/v1/nowhere', '[REQ] POST /api/v1/namespaces/harmless0/pods/harmless0 - harmless0'],
  client: 'client 192.0.2.1',
  other: HARMLESS,
};

/** All outputs: svg of one command, as a browser draws each. */
export const OUTPUTS: readonly Output[] = outputs(HARMLESS, SUBJECT).filter(
  ({ needs, command, args }) => needs !== 'browser' || (command === 'diagram' && args.includes('--all')),
);

function file(name: string, content: Uint8Array): string {
  const path = join(FOLDER, name);
  writeFileSync(path, content);
  return path;
}

const KEPT = new Map<string, Said>();

/** @param more options and captures; default: the hostile one. */
export function saidOf(output: Output, ...more: readonly string[]): Said {
  const key = [output.name, ...more].join(' ');
  const kept = KEPT.get(key) ?? said(output, more.length === 0 ? [EVIL] : more, FOLDER);
  KEPT.set(key, kept);
  return kept;
}

/** What a user looks at: what was printed or, where that was nothing, written. */
export function shownOf(output: Output, ...more: readonly string[]): string {
  const { texts } = saidOf(output, ...more);
  return texts[0][1] !== ''
    ? texts[0][1]
    : texts
        .slice(2)
        .map(([, text]) => text)
        .join('\n');
}

/** The output of a command with these arguments. */
export function outputOf(...args: readonly string[]): Output {
  return { name: args.join(' '), command: args[0], format: args[2], args, behind: [] };
}

/** Those of some formats, with their names. */
export function ofFormats(all: readonly Output[], ...formats: readonly string[]): [string, Output][] {
  return all.filter(({ format }) => formats.includes(format)).map((one) => [one.name, one]);
}

/** Characters that nobody sees: controls, format characters, separators, lone surrogates, and fillers; all but line breaks. */
export const UNSEEN = /(?![\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u3164\uffa0]/u;
