// Makes of the executables what a release has beside them: an archive of each with the licences of all that is in it, the krew
// manifest (deploy/krew/seq.yaml) with their hashes, the page that opens captures as kubeseq.html, and checksums.txt.
//
//   npm run release -- [--from FOLDER] [--into FOLDER] [--page FILE] [--repository OWNER/NAME]

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeLicenses } from './licenses.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** In the order of the manifest's hashes. */
const ARCHITECTURES = ['amd64', 'arm64'];
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: join(root, 'executables') },
    into: { type: 'string', default: join(root, 'executables') },
    page: { type: 'string', default: join(root, 'dist-page/index.html') },
    repository: { type: 'string', default: process.env['GITHUB_REPOSITORY'] ?? 'kubeseq/kubeseq' },
  },
});
const [from, into] = [resolve(values.from), resolve(values.into)];
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

mkdirSync(into, { recursive: true });
const archives = ARCHITECTURES.map(archive);
const facts = /** @type {Record<string, string>} */ ({
  VERSION: version,
  REPOSITORY: values.repository,
  SHA256_AMD64: sha256(archives[0]),
  SHA256_ARM64: sha256(archives[1]),
});
const manifest = join(into, 'seq.yaml');
const template = readFileSync(join(root, 'deploy/krew/seq.yaml'), 'utf8').replace(/^#.*\n/, '');
writeFileSync(
  manifest,
  template.replaceAll(/\$\{(\w+)\}/g, (_, name) => facts[name]),
);
const page = join(into, 'kubeseq.html');
copyFileSync(values.page, page);
const executables = ARCHITECTURES.map((arch) => join(from, `kubeseq-linux-${arch}`));
// As `sha256sum --check` reads it.
const sums = [...executables, ...archives, manifest, page].map((path) => `${sha256(path)}  ${basename(path)}\n`);
writeFileSync(join(into, 'checksums.txt'), sums.join(''));

/** The same bytes of the same files, whenever and by whom it is made. @param {string} arch @returns its path */
function archive(arch) {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-release-'));
  try {
    copyFileSync(join(from, `kubeseq-linux-${arch}`), join(folder, 'kubeseq'));
    writeLicenses(folder);
    const made = join(into, `kubeseq-linux-${arch}.tar.gz`);
    const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=go-w'];
    execFileSync('tar', ['-C', folder, ...same, '-I', 'gzip -n', '-cf', made, ...readdirSync(folder).sort()]);
    console.log(made);
    return made;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} path */
function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
