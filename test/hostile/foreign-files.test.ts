// What root writes where somebody else prepared the place: links and files of others are not written to, and their folders are
// refused. Needs root, which alone can give files away.

import { createSocket } from 'node:dgram';
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
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { openKeyLog } from '../../src/cli/keys/key-log-file.js';
import { RingFiles } from '../../src/cli/record/ring-files.js';
import { ringFolder } from '../../src/cli/record/ring-folder.js';
import { systemProgram } from '../../src/cli/system-program.js';
import { NO_CAPTURE, SmallServer } from '../kit/capturing.js';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { kubeseqSpawned, pause, Spawned } from '../kit/spawned.js';

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

  describe('record --ring', () => {
    it.each([
      ['the shared temporary folder', () => tmpdir(), /others may write into it \(mode 1777\)/],
      ['the working directory', () => folderOf('working', 0), /there is something else in it than a ring of yours/],
      ['a folder of another user', () => folderOf('their-ring', OTHER), /is a folder of another user \(uid 65534\)/],
    ])('%s: refused, and keeps its mode', (_, named, why) => {
      const path = named();
      if (path.endsWith('working')) writeFileSync(join(path, 'notes'), '');
      const { mode } = statSync(path);
      const { status, stderr } = kubeseq(['record', '--ring', path, '-i', 'lo'], { env: { SUDO_UID: '' } });
      expect(stderr).toMatch(why);
      expect(stderr.split('\n')).toHaveLength(2);
      expect([status, statSync(path).mode]).toEqual([2, mode]);
    });

    it('another user races for the folder, 200 times: no file of root is written to', async () => {
      const path = folderOf('everybody', 0);
      chmodSync(path, 0o1777);
      chmodSync(folder, 0o755);
      const trap = folderOf('trap', OTHER);
      const kept = victim('kept-by-ring');
      const names = Array.from({ length: 4 }, (_, i) => `ring.pcap${i}`);
      for (const name of names) symlinkSync(kept, join(trap, name));
      const ring = join(path, 'ring');
      // What it may do in a sticky folder: make the ring's folder first, with links in it, or be a link to one.
      const attack = `
        import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
        const steps = [
          () => mkdirSync('${ring}', 0o777),
          ...${JSON.stringify(names)}.map((name) => () => symlinkSync('${kept}', '${ring}/' + name)),
          () => renameSync('${ring}', '${ring}-mine'),
          () => rmSync('${ring}-mine', { recursive: true, force: true }),
          () => rmSync('${ring}', { recursive: true, force: true }),
          () => symlinkSync('${trap}', '${ring}'),
          () => rmSync('${ring}'),
        ];
        console.log('begins');
        for (;;) for (const step of steps) try { step(); } catch {}`;
      const attacker = new Spawned('setpriv', [
        ...[`--reuid=${OTHER}`, `--regid=${OTHER}`, '--clear-groups', process.execPath],
        ...['--input-type=module', '-e', attack],
      ]);
      await attacker.until(({ stdout }) => stdout.includes('begins'));
      const outcomes = { written: 0, refused: 0 };
      try {
        for (let i = 0; i < 200; i += 1) {
          await pause(i % 3);
          try {
            const opened = ringFolder(ring);
            const files = new RingFiles(opened, 6_000_000);
            files.begin();
            // As tcpdump does, which follows what is there.
            for (const name of names) writeFileSync(opened.entry(name), 'packets');
            rmSync(ring, { recursive: true });
            outcomes.written += 1;
          } catch {
            outcomes.refused += 1;
          }
        }
      } finally {
        await attacker.end('SIGKILL');
      }
      expect(readFileSync(kept, 'utf8')).toBe('of root');
      expect(outcomes.written).toBeGreaterThan(10);
      expect(outcomes.refused).toBeGreaterThan(10);
    }, 60_000);

    it.skipIf(NO_CAPTURE !== '')(
      'tcpdump writes into the folder that was opened, whatever its path leads to',
      async () => {
        const kept = victim('kept-by-tcpdump');
        const ring = join(folder, 'moved');
        const command = kubeseqSpawned(['record', '--ring', ring, '--size', '4M', '-i', 'lo', '--filter', 'udp']);
        await command.until(({ stderr }) => stderr.includes('recording into'));
        renameSync(ring, `${ring}-away`);
        mkdirSync(ring);
        for (const number of [0, 1, 2]) symlinkSync(kept, join(ring, `ring.pcap${number}`));
        const socket = createSocket('udp4');
        for (let i = 0; i < 300; i += 1)
          await new Promise((sent) => socket.send(Buffer.alloc(20_000), 9, '127.0.0.1', sent));
        socket.close();
        await pause(1500);
        expect(await command.end('SIGTERM')).toBe(143);
        expect(readFileSync(kept, 'utf8')).toBe('of root');
        expect(readdirSync(`${ring}-away`).length).toBeGreaterThan(1);
      },
      30_000,
    );

    it.each([
      ['of another user', (path: string) => theirs(path)],
      ['that others may write', (path: string) => chmodSync(path, 0o777)],
    ])('a tcpdump %s in PATH: root does not run it', (name, given) => {
      const path = folderOf(`bin-${name.length}`, 0);
      const program = join(path, 'kubeseq-tried');
      writeFileSync(program, '', { mode: 0o755 });
      vi.stubEnv('PATH', `${path}:.:`);
      expect(systemProgram('kubeseq-tried')).toBe(program);
      given(program);
      expect(() => systemProgram('kubeseq-tried')).toThrow(
        `${program} is not run as root, since others could change it`,
      );
      // One of the system comes first.
      writeFileSync(join(path, 'sh'), '', { mode: 0o755 });
      expect(systemProgram('sh')).toMatch(/^\/usr\/bin\/sh$|^\/bin\/sh$/);
    });
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
