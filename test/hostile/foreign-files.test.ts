// What root writes where somebody else prepared the place: links and files of others are not written to, and their folders are
// refused. Needs root, which alone can give files away.

import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { openKeyLog } from '../../src/cli/keys/key-log-file.js';
import { NO_CAPTURE, SmallServer } from '../kit/capturing.js';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { kubeseqSpawned } from '../kit/spawned.js';

const NOT_ROOT = process.geteuid?.() !== 0;
/** nobody. */
const OTHER = 65_534;
const SECRET = `CLIENT_RANDOM ${'0d'.repeat(32)} ${'0e'.repeat(48)}`;
const CAPTURE = fixturePath('run-nginx-http1/capture.pcap.gz');

describe.skipIf(NOT_ROOT)(`files of others${NOT_ROOT ? ' (skipped: not root)' : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-foreign-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => void vi.unstubAllEnvs());
  vi.stubEnv('SUDO_UID', undefined);

  function theirs(path: string): string {
    chownSync(path, OTHER, OTHER);
    return path;
  }

  function folderOf(name: string, uid: number): string {
    const path = join(folder, name);
    mkdirSync(path);
    chownSync(path, uid, uid);
    return path;
  }

  /** A file of root's that somebody wants to be overwritten. */
  function victim(name: string): string {
    const path = join(folder, name);
    writeFileSync(path, 'of root');
    return path;
  }

  describe('record -w', () => {
    it.each([
      ['itself', (path: string) => path, ''],
      ['a new one in it', (path: string) => join(path, 'new/deeper'), 'theirs-\\d '],
    ])('a folder of another user, %s: refused before anything runs', (name, named, where) => {
      const path = folderOf(`theirs-${name.length % 10}`, OTHER);
      const kept = victim(`kept-${name.length}`);
      symlinkSync(kept, join(path, 'capture.pcap.part'));
      const ran = join(folder, `ran-${name.length}`);
      const { status, stderr } = kubeseq(['record', '-i', 'lo', '-w', named(path), '--', 'touch', ran], {
        env: { SUDO_UID: '' },
      });
      expect(stderr).toMatch(
        new RegExp(`^kubeseq: -w \\S+: (?:\\S+${where})?is a folder of another user \\(uid ${OTHER}\\), [^\\n]+\\n$`),
      );
      expect(status).toBe(2);
      expect(readFileSync(kept, 'utf8')).toBe('of root');
      expect([existsSync(ran), readdirSync(path)]).toEqual([false, ['capture.pcap.part']]);
    });

    it('a link of another user to a folder of root: refused', () => {
      const target = folderOf('of-root', 0);
      const link = join(folder, 'their-link');
      symlinkSync(target, link);
      lchownSync(link, OTHER, OTHER);
      const { status, stderr } = kubeseq(['record', '-i', 'lo', '-w', link, '--', 'true'], { env: { SUDO_UID: '' } });
      expect(stderr).toContain(`is a link of another user (uid ${OTHER})`);
      expect([status, readdirSync(target)]).toEqual([2, []]);
    });

    it.skipIf(NO_CAPTURE !== '')(
      'files and links that were planted in a folder of root: none is followed, and none keeps its owner',
      async () => {
        const path = folderOf('planted', 0);
        // Anybody could write there, as into /tmp.
        chmodSync(path, 0o1777);
        const kept = victim('kept');
        for (const name of ['capture.pcap.part', 'capture.pcapng', 'messages.ndjson'])
          symlinkSync(kept, join(path, name));
        for (const name of ['capture.pcapng', 'messages.ndjson']) lchownSync(join(path, name), OTHER, OTHER);
        const planted = join(path, 'capture.pcapng.part');
        writeFileSync(planted, '', { mode: 0o666 });
        theirs(planted);
        const server = await SmallServer.open();
        const url = `http://127.0.0.1:${server.port}/api/v1/namespaces/default/pods/web`;
        const command = kubeseqSpawned(['record', '-q', '-i', 'lo', '-w', path, '--', 'curl', '-s', url], {
          SUDO_UID: '',
        });
        const status = await command.end();
        server.close();
        expect(readFileSync(kept, 'utf8')).toBe('of root');
        expect(readFileSync(planted, 'utf8')).toBe('');
        const capture = lstatSync(join(path, 'capture.pcapng'));
        expect([capture.isFile(), capture.uid, capture.mode & 0o777]).toEqual([true, 0, 0o600]);
        // A link to where messages would go is refused; the capture is there.
        expect(command.stderr).toMatch(/messages\.ndjson: is a link of another user .*; the capture itself is in /);
        expect(status).toBe(2);
      },
    );
  });

  describe('keys -w', () => {
    it('a file of another user is refused, and left as it is', () => {
      const path = join(folder, 'their.log');
      writeFileSync(path, 'theirs\n', { mode: 0o644 });
      theirs(path);
      expect(() => openKeyLog(path)).toThrow(
        `${path}: belongs to another user (uid ${OTHER}), who could read the secrets; name a file of your own`,
      );
      expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['theirs\n', 0o644]);
    });

    it('a file of the user that called sudo may be used', () => {
      const path = join(folder, 'caller.log');
      writeFileSync(path, '', { mode: 0o644 });
      theirs(path);
      vi.stubEnv('SUDO_UID', String(OTHER));
      const log = openKeyLog(path);
      log.write([SECRET]);
      log.close();
      expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([`${SECRET}\n`, 0o600]);
    });

    it('a link is not followed, and a device is left as it is', () => {
      const kept = victim('kept-by-keys');
      const link = join(folder, 'link.log');
      symlinkSync(kept, link);
      expect(() => openKeyLog(link)).toThrow('is a link; name the file itself');
      expect(readFileSync(kept, 'utf8')).toBe('of root');
      const mode = statSync('/dev/null').mode;
      openKeyLog('/dev/null').close();
      expect(statSync('/dev/null').mode).toBe(mode);
    });
  });

  it.each(['messages', 'export'])('%s -w: a link of another user is refused', (command) => {
    const kept = victim(`kept-by-${command}`);
    const link = join(folder, `${command}.ndjson`);
    symlinkSync(kept, link);
    lchownSync(link, OTHER, OTHER);
    const { status, stderr } = kubeseq([command, '-q', CAPTURE, '-w', link], { env: { SUDO_UID: '' } });
    expect(stderr).toBe(`kubeseq: ${link}: is a link of another user (uid ${OTHER}); name the file itself\n`);
    expect([status, readFileSync(kept, 'utf8')]).toEqual([2, 'of root']);
  });
});
