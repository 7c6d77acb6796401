// The corpus as files, and what of it is found in what the program says.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeseq } from '../command.js';
import { fixture } from '../fixtures.js';
import { newFolder, type Output, type Said, type Subject, said } from '../outputs.js';
import { type LookName, madeCorpus, nameOf, type Planted, REAL } from './corpus.js';
import { leaksIn, searchFor } from './search.js';

export interface PlantedFiles {
  readonly planted: readonly Planted[];
  readonly folder: string;
  readonly capture: string;
  /** Arguments: the capture and its keys. */
  readonly captured: readonly string[];
  /** The same messages with all secrets in them, as an export. */
  readonly revealed: string;
  readonly subject: Subject;
}

/** The real capture behind the one of the table, in one file. @param looks of the table's secrets; default: all. */
export function plantedFiles(looks?: readonly LookName[]): PlantedFiles {
  const { planted, capture: made } = madeCorpus(looks);
  const folder = newFolder('planted');
  const [capture, revealed] = [join(folder, 'planted.pcap'), join(folder, 'revealed.ndjson')];
  writeFileSync(capture, Buffer.concat([made, fixture('planted/capture.pcap').subarray(FILE_HEADER)]));
  const keys = join(folder, 'keys.log');
  writeFileSync(keys, fixture('planted/keys.log'));
  const captured = ['--keylog', keys, capture];
  kubeseq(['export', ...captured, '--show-secrets', '-w', revealed]);
  const expected = [
    ...['POST /api/v1/namespaces/shop/secrets - never', 'POST /api/v1/namespaces/shop/pods/web-0/exec?command=never'],
    ...['POST /api/v1/namespaces/app/secrets - never', 'GET /api/v1/namespaces/app/pods?token=x'],
  ].map((request) => `[REQ] ${request}`);
  return {
    ...{ planted: [...planted, ...REAL], folder, capture, captured, revealed },
    subject: { objects: OBJECTS, seq: 200, expected, other: 'fixtures/docker-engine-api/capture.pcap.gz' },
  };
}

/** Of a classic capture file; both are of little-endian microseconds and Ethernet. */
const FILE_HEADER = 24;
/** Objects whose secrets are in all their versions. */
const OBJECTS: Subject['objects'] = [
  ...(['pod/spec', 'pod/web-0', 'secret/db', 'configmap/files', 'deployment/w', 'database/orders'] as const).map(
    inShop,
  ),
  ...(['helmrelease/web', 'job/j'] as const).map(inShop),
  ...(['thing/t', 'secret/t', 'secret/s1', 'configmap/t', 'helmrelease/t', 'pod/t'] as const).map(
    (name) => [name, 'app'] as const,
  ),
];

function inShop(name: string): readonly [string, string] {
  return [name, 'shop'];
}

/** Looks into what an output says: each line names output, where, family, carrier, look, how and the text around it. */
export class LeakSearch {
  readonly #find: ReturnType<typeof searchFor>;
  readonly #leaks: (text: string) => string[];
  readonly #folder: string;

  constructor({ planted, folder }: PlantedFiles) {
    this.#find = searchFor(planted);
    this.#leaks = leaksIn(planted);
    this.#folder = folder;
  }

  said(output: Output, more: readonly string[]): { readonly said: Said; readonly leaks: string[] } {
    const all = said(output, more, this.#folder);
    const leaks = all.texts.flatMap(([where, text]) =>
      this.#leaks(text).map((leak) => `${output.name} | ${where} | ${leak}`),
    );
    return { said: all, leaks };
  }

  /** Names of those that a text has, also of what a rule shows. */
  namesIn(text: string): Set<string> {
    return new Set(this.#find(text).map(({ secret }) => nameOf(secret)));
  }
}
