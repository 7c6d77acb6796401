import { existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ringFolder, unfitFolder } from './ring-folder.js';

const OWN = 1000;
const file = (name: string, uid = OWN) => ({ name, uid });
const RING = ['ring.pcap00', 'ring.pcap19', 'ring.keys00', 'ring.pcap-3', 'ring.reports', 'ring.reports.unwritten'];

it.each([
  ['an empty one of its own', OWN, 0o40755, [], null],
  ['one with a ring of its own', OWN, 0o40700, RING.map((name) => file(name)), null],
  ['the shared temporary one', 0, 0o41777, [], 'belongs to another user (uid 0)'],
  ['one of another user', 1001, 0o40700, [], 'belongs to another user (uid 1001)'],
  ['an empty one where all may write', OWN, 0o41777, [], 'others may write into it (mode 1777)'],
  ['one where its group may write', OWN, 0o40770, [], 'others may write into it (mode 770)'],
  ['with other files', OWN, 0o40700, [file('ring.pcap0'), file('notes')], 'a ring of yours (notes)'],
  ['with a name that is nearly one', OWN, 0o40700, [file('ring.pcap')], 'a ring of yours (ring.pcap)'],
  ['with a link of another user', OWN, 0o40700, [file('ring.pcap0', 1001)], 'a ring of yours (ring.pcap0)'],
  ['with a ring that others may read', OWN, 0o40755, [file('ring.pcap0')], 'the ring that is there (mode 755)'],
])('%s', (_, uid, mode, inside, why) => {
  const found = unfitFolder({ uid, mode }, inside, OWN);
  if (why === null) expect(found).toBeNull();
  else expect(found).toContain(why);
});

it('the mode of a folder with something else in it stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-ring-'));
  const [full, deep] = [join(folder, 'full'), join(folder, 'deep/new')];
  mkdirSync(full, { mode: 0o755 });
  writeFileSync(join(full, 'notes'), '');
  expect(() => ringFolder(full)).toThrow(
    `--ring ${full}: there is something else in it than a ring of yours (notes); name a folder that is not there yet, and kubeseq makes it`,
  );
  expect(statSync(full).mode & 0o777).toBe(0o755);
  const before = process.umask(0);
  try {
    ringFolder(deep);
  } finally {
    process.umask(before);
  }
  expect([existsSync(deep), statSync(deep).mode & 0o777, statSync(join(deep, '..')).mode & 0o777]).toEqual([
    true,
    0o700,
    0o755,
  ]);
});
