import { describe, expect, it } from 'vitest';
import { MemoryStorage } from '../../test/kit/memory-storage.js';
import { APISERVER, exchanged, KUBECTL, message } from '../../test/kit/messages.js';
import { MessageLinker } from '../kubernetes/emitted/message-links.js';
import type { Message, Participant } from '../kubernetes/messages/message.js';
import { BLOCK_MESSAGES } from './block-layout.js';
import { MessageSpool } from './message-spool.js';

const SERVICE: Participant = { ...APISERVER, id: 7, name: 'Service shop/front', component: 'Service' };

function spoolOf(messages: readonly Message[]): MessageSpool {
  const spool = new MessageSpool(new MemoryStorage());
  for (const [i, one] of messages.entries()) spool.add(one, i & 0xffff);
  return spool;
}

function messagesIn(spool: MessageSpool): Message[] {
  return [...spool.blocks()].flatMap((block) => Array.from({ length: block.count }, (_, row) => block.message(row)));
}

function wanted(given: { names?: string[]; namespaces?: string[]; participants?: number[] }) {
  const { names, namespaces, participants } = given;
  return { names: new Set(names), namespaces: new Set(namespaces), participants: new Set(participants) };
}

/** Which of the messages are found, by their place. */
function found(messages: readonly Message[], given: Parameters<typeof wanted>[0]): number[] {
  const rows = [...spoolOf(messages).blocks()].flatMap((block) => [...block.mentions(wanted(given))]);
  return rows.flatMap((is, row) => (is === 1 ? [row] : []));
}

describe('messages', () => {
  it('come back as they were, participants as the same objects', () => {
    const given = [
      ...exchanged({ from: KUBECTL, verb: 'get', resource: 'pods', namespace: 'shop', name: 'nginx' }, { status: 200 }),
      message({
        seq: 2 ** 40,
        exchange: 2 ** 33,
        causedBy: 2 ** 32,
        started: -1n,
        latencyMs: 0.25,
        bytes: 2 ** 52,
        via: [SERVICE],
        stream: 2 ** 31,
        complete: false,
      }),
      message({
        object: {
          kind: 'Pod',
          uid: null,
          name: 'ä-日本-\u{1f600}',
          owners: [{ kind: 'ReplicaSet', name: 'a', uid: 'u' }],
        },
        cause: { seq: 1, how: 'write' as const, certain: false, others: [2, 3] },
        causedBy: 1,
      }),
      message({ patch: [JSON.parse('{"op":"add","__proto__":{"x":[true,null,-1.5]}}')] }),
    ];
    const read = messagesIn(spoolOf(given));
    // Who takes them out links them again.
    const requests = new MessageLinker();
    expect(read.map((one) => requests.link(one))).toEqual(given);
    expect(read[2].via?.[0]).toBe(SERVICE);
    expect(Object.keys(read[4].patch?.[0] as object)).toEqual(['op', '__proto__']);
  });

  it('fill blocks, whose columns have the numbers', () => {
    const given = Array.from({ length: 2 * BLOCK_MESSAGES + 1 }, () => message({}));
    const spool = spoolOf(given);
    const counts: number[] = [];
    const seqs: number[] = [];
    for (const { count, columns } of spool.blocks()) {
      counts.push(count);
      seqs.push(...columns.seq.subarray(0, count));
      expect(columns.mark[count - 1]).toBe((seqs.length - 1) & 0xffff);
    }
    expect(counts).toEqual([BLOCK_MESSAGES, BLOCK_MESSAGES, 1]);
    expect(seqs).toEqual(given.map(({ seq }) => seq));
  });
});

describe('a search', () => {
  const messages = [
    message({ name: 'nginx', namespace: 'default' }),
    message({ namespace: 'nginx', name: 'other', label: '[REQ] nginx' }),
    message({ object: { kind: 'Pod', uid: 'u-1', name: 'web', namespace: 'default' } }),
    message({ from: KUBECTL, claims: ['persistentvolumeclaims/nginx'] }),
    message({ via: [SERVICE] }),
  ];

  it.each([
    [{ names: ['nginx'] }, [0]],
    [{ namespaces: ['nginx'] }, [1]],
    [{ namespaces: ['default'] }, [0, 2]],
    [{ names: ['u-1'] }, [2]],
    [{ names: ['persistentvolumeclaims/nginx', 'web'] }, [2, 3]],
    [{ names: ['nothing'] }, []],
  ])('%j', (given, expected) => {
    expect(found(messages, given)).toEqual(expected);
  });

  it('finds who has part in a message', () => {
    const { participants } = spoolOf(messages);
    expect(found(messages, { participants: [participants.indexOf(SERVICE)] })).toEqual([4]);
    expect(found(messages, { participants: [participants.indexOf(KUBECTL)] })).toContain(3);
  });
});
