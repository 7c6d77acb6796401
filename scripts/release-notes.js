// Prints the section of CHANGELOG.md for a version, as the notes of its release: node scripts/release-notes.js [VERSION] [CHANGELOG]
import { readFileSync } from 'node:fs';

const root = new URL('..', import.meta.url);
const [, , version = packageVersion(), changelog = new URL('CHANGELOG.md', root)] = process.argv;
const sections = readFileSync(changelog, 'utf8').split(/^(?=## \[)/m);
const section = sections.find((text) => text.startsWith(`## [${version}] - `));
if (section === undefined) {
  console.error(`CHANGELOG.md: no section "## [${version}] - DATE"; give [Unreleased] this version and its date`);
  process.exitCode = 1;
} else console.log(section.slice(section.indexOf('\n') + 1).trim());

function packageVersion() {
  return JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version;
}
