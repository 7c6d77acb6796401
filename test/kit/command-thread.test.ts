// The thread that most tests run the command in gives what a process of its own gives.

import { describe, expect, it } from 'vitest';
import { kubeseq } from './command.js';
import { fixturePath } from './fixtures.js';

const PLAIN = fixturePath('run-nginx-http1/capture.pcap.gz');
const TLS = fixturePath('run-nginx-tls/capture.pcap.gz');
const KEYS = fixturePath('run-nginx-tls/keys.log.gz');

describe('in the thread as in a process', () => {
  it.each<[readonly string[], Record<string, string>?]>([
    [['--help']],
    [['--version']],
    [[PLAIN]],
    [['-o', 'text', PLAIN], { COLUMNS: '90' }],
    [['messages', '-o', 'ndjson', '--bodies', '-v', TLS, '--keylog', KEYS]],
    [['messages', '-o', 'parquet', PLAIN]],
    [['summary', TLS]],
    [['summary', TLS], { SSLKEYLOGFILE: KEYS }],
    [['diff', PLAIN, TLS, '--keylog', KEYS]],
    [['check', fixturePath('check/run-nginx.md'), PLAIN]],
    [['messages', 'no-such-file.pcap']],
    [['messages', '--where', 'verb ==', PLAIN]],
    [['no-such-command']],
  ])('%j', (args, env) => {
    const here = kubeseq(args, { env });
    expect(here).toEqual(kubeseq(args, { env, alone: true }));
    expect(here.stdout + here.stderr).not.toBe('');
    // Nothing of a run is left for the next.
    expect(kubeseq(args, { env })).toEqual(here);
  });
});
