import { describe, expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, message, SCHEDULER } from '../../test/kit/messages.js';
import type { Message } from '../kubernetes/messages/message.js';
import { CutExchanges } from './cut-exchanges.js';

const at = (seconds: number): bigint => BigInt(Math.round(seconds * 1000)) * 1_000_000n;

function cut(seconds: number, resource: string, given: Given = {}): Message {
  const end: Given = { kind: 'end', from: APISERVER, to: SCHEDULER, verb: 'watch', resource, time: at(seconds) };
  return message({ ...end, cut: { by: 'server', how: 'FIN', received: 0 }, ...given });
}

function opened(seconds: number, resource: string, given: Given = {}): Message {
  return message({ from: SCHEDULER, verb: 'watch', resource, time: at(seconds), ...given });
}

function told(...messages: readonly Message[]): string[] {
  const cuts = new CutExchanges();
  for (const one of messages) cuts.add(one);
  return cuts.result().map(({ what }) => what);
}

describe('many watches that were cut', () => {
  const CUT = [cut(1, 'pods'), cut(1, 'pods'), cut(1, 'nodes')];
  const WORDS = '3 watches of kube-scheduler: cut by kube-apiserver (192.0.2.10:8080) (FIN)';

  it('were opened again, so many and so long after the first', () => {
    const words = (again: string): string[] => [`${WORDS}${again}`];
    expect(told(...CUT)).toEqual(words(''));
    const [first, second, third] = [opened(3, 'pods'), opened(4, 'nodes'), opened(8.2, 'pods')];
    expect(told(...CUT, first, second)).toEqual(words('; 2 opened again within 3.0 s'));
    expect(told(...CUT, first, second, third)).toEqual(words('; all opened again within 7.2 s'));
    expect(told(...CUT, first, second, third, opened(9, 'pods'))).toEqual(words('; all opened again within 7.2 s'));
  });

  it('are opened again by those who had them', () => {
    expect(told(...CUT, opened(3, 'pods', { from: KUBECTL }), opened(3, 'services'))).toEqual([WORDS]);
  });

  it('are more than one: what became of a single one is not told', () => {
    expect(told(cut(1, 'pods'), opened(3, 'pods'))).toEqual([
      'kube-scheduler: watch pods: cut by kube-apiserver (192.0.2.10:8080) (FIN)',
    ]);
  });
});
