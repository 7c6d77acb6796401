// What --help prints, and the options that stand for several others.

import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';

const PLANTED = [fixturePath('planted/capture.pcap.gz'), '--keylog', fixturePath('planted/keys.log.gz')];
const DEPLOYMENT = [
  fixturePath('deployment-tls/control-plane.pcap.gz'),
  '--keylog',
  fixturePath('deployment-tls/keys.log.gz'),
];
const HELP = kubeseq(['--help']).stdout;
const COMMANDS = [...HELP.matchAll(/^ {2}(\w+) (?:\[options\]|<)/gm)].map(([, name]) => name);

describe('kubeseq --help', () => {
  it('has the commands in groups, and says what kubeseq CAPTURE does', () => {
    const headings = [...HELP.matchAll(/^(\w+):/gm)].map(([, name]) => name);
    expect(headings).toEqual(['Usage', 'Options', 'Look', 'Ask', 'Verify', 'Share', 'Capture', 'More', 'Environment']);
    expect(HELP).toContain('kubeseq CAPTURE draws');
    expect(HELP).toContain('SSLKEYLOGFILE');
  });

  it.each(COMMANDS)('%s has its options in groups, and an exit status', (command) => {
    const help = kubeseq([command, '--help']).stdout;
    const headings = [...help.matchAll(/^([A-Z][\w ]+):/gm)].map(([, name]) => name);
    const options = headings.slice(headings.indexOf('Arguments') + 1);
    const order = ['What to read', 'What to record', 'What to show', 'Where to write', 'More'];
    const groups = options.filter((one) => order.includes(one));
    expect(headings).not.toContain('Options');
    expect(groups).toEqual(order.filter((one) => groups.includes(one)));
    expect(help).toMatch(/^Exit status: \S/m);
    if (command !== 'completion') expect(help).toMatch(new RegExp(`^ {2}\\$ kubeseq ${command}`, 'm'));
  });

  it('shows --follow before what is asked for less', () => {
    const help = kubeseq(['diagram', '--help']).stdout;
    const shown = help.slice(help.indexOf('What to show:'));
    expect(shown.match(/--[a-z-]+/)?.[0]).toBe('--follow');
  });
});

describe('an option that stands for others', () => {
  it.each([
    ['commands,text', ['--show-commands', '--show-text']],
    ['field=spec.nodeName,field=spec.replicas', ['--show-field', 'spec.nodeName', '--show-field', 'spec.replicas']],
    ['secrets', ['--show-secrets']],
  ])('--show %s', (list, others) => {
    const plain = kubeseq(['messages', ...PLANTED]).stdout;
    const shown = kubeseq(['messages', ...PLANTED, '--show', list]).stdout;
    expect(shown).toBe(kubeseq(['messages', ...PLANTED, ...others]).stdout);
    if (list !== 'field=spec.nodeName,field=spec.replicas') expect(shown).not.toBe(plain);
  });

  it('--show refuses what it does not know, and what the command does not show', () => {
    const wrong = kubeseq(['messages', ...PLANTED, '--show', 'txt']);
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toBe('kubeseq: --show txt: expected some of commands, text, field=PATH, secrets\n');
    expect(kubeseq(['summary', ...PLANTED, '--show', 'field=spec.x']).stderr).toContain(
      'expected some of commands, text',
    );
  });

  it('--threshold sets one of a finding', () => {
    const top = (...more: readonly string[]): string => kubeseq(['top', ...DEPLOYMENT, '-o', 'json', ...more]).stdout;
    expect(top('--threshold', 'large-list=1')).toBe(top('--large-list', '1'));
    expect(top('--threshold', 'large-list=1')).not.toBe(top());
    const wrong = ['x=1', 'relists', 'relists=0'].map((text) => kubeseq(['top', ...PLANTED, '--threshold', text]));
    expect(wrong.map(({ status }) => status)).toEqual([2, 2, 2]);
    expect(wrong[0].stderr).toContain('expected one of loop-rate, fight-turns');
    expect(wrong[2].stderr).toContain('expected a number from 1');
  });

  it('--detail is about how much stands on an arrow; what is given beside it counts', () => {
    const drawn = (...more: readonly string[]): string =>
      kubeseq(['diagram', ...DEPLOYMENT, '--follow', 'deployment/web', ...more]).stdout;
    expect(drawn('--detail', 'low')).toBe(drawn('--labels', 'short', '--answers', 'folded'));
    expect(drawn('--detail', 'low', '--answers', 'drawn')).toBe(drawn('--labels', 'short'));
    expect(drawn('--detail', 'full')).toBe(drawn('--users', '--frames'));
    expect(drawn('--detail', 'normal')).toBe(drawn());
    expect(new Set(['low', 'normal', 'full'].map((level) => drawn('--detail', level))).size).toBe(3);
  });
});
