import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../index.js';
import { type PageOptions, pageOptionsOf } from './page-options.js';

function optionsOf(settings: string): PageOptions {
  return pageOptionsOf(blocksOf(`# T\n\n<!-- kubeseq ${settings}\n-->\n`)[0], 'page.md');
}

describe('what a comment asks for', () => {
  it.each([
    ['capture=a', { capture: ['a'], by: 'controller', namespace: 'default' }],
    ['capture=a capture=b keylog=k all', { capture: ['a', 'b'], keylog: ['k'], all: true }],
    ['capture=a participants participants=names.yaml', { evidence: true, participants: 'names.yaml' }],
    ['capture=a steps bodies=json', { steps: true, bodies: 'json' }],
    ["capture=a steps='1-3, 5'", { steps: '1-3, 5' }],
    [
      'capture=a layers=api,etcd follow=pod/x namespace=y',
      { layers: ['api', 'etcd'], follow: 'pod/x', namespace: 'y' },
    ],
    ['capture=a all-namespaces where=-x', { allNamespaces: true, where: '-x' }],
  ])('%s', (settings, expected) => expect(optionsOf(settings)).toMatchObject(expected));

  it.each([
    ['colour=red capture=a', 3, /^unknown key colour; expected one of capture, /],
    ['follow=pod/nginx', 3, /^no capture; expected capture=FILE$/],
    ['capture', 3, /^capture needs a value/],
    ['capture= all', 3, /^capture needs a value/],
    ['capture=a all=yes', 3, /^all takes no value$/],
    ['capture=a follow=x follow=y', 3, /^follow is there twice$/],
    ['capture=a participants evidence', 3, /^evidence is there twice$/],
    ['\ncapture=a\nby=component by=controller', 5, /^by is there twice$/],
    ['\ncapture=a\nby=node', 5, /^by=node: allowed choices are controller, component\.$/],
    ['\ncapture=a\nsteps=1-', 5, /^steps=1-: expected numbers of arrows, as 1-12,20$/],
    ['\ncapture=a\n\ntoString', 6, /^unknown key toString/],
    ['capture=a output=x', 3, /^unknown key output/],
    ['capture=a help', 3, /^unknown key help/],
  ])('%j is refused', (settings, line, message) => {
    const prefix = `page.md:${line}: `;
    let text = '';
    try {
      optionsOf(settings);
    } catch (error) {
      text = (error as Error).message;
    }
    expect(text.startsWith(prefix)).toBe(true);
    expect(text.slice(prefix.length)).toMatch(message);
  });
});
