import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretStore } from './key-log.js';

const RANDOM = 'ab'.repeat(32);
const SECRET = '01'.repeat(32);
const MASTER = '02'.repeat(48);

function lines(...text: string[]) {
  const store = secretStore();
  for (const line of text) store.add(`${line}\n`);
  return store;
}

describe('secretStore', () => {
  it.each([
    ['CLIENT_RANDOM', 'master', MASTER],
    ['CLIENT_EARLY_TRAFFIC_SECRET', 'clientEarly', SECRET],
    ['CLIENT_HANDSHAKE_TRAFFIC_SECRET', 'clientHandshake', SECRET],
    ['SERVER_HANDSHAKE_TRAFFIC_SECRET', 'serverHandshake', MASTER],
    ['CLIENT_TRAFFIC_SECRET_0', 'clientTraffic', SECRET],
    ['SERVER_TRAFFIC_SECRET_0', 'serverTraffic', MASTER],
  ] as const)('reads %s', (label, field, secret) => {
    const store = lines(`${label} ${RANDOM} ${secret}`);
    expect(store.find(RANDOM)?.[field]).toBe(secret);
    expect(store.end()).toEqual([]);
  });

  it('reads upper case and CRLF', () => {
    const store = lines(`CLIENT_RANDOM ${RANDOM.toUpperCase()} ${MASTER}\r`);
    expect(store.find(RANDOM)?.master).toBe(MASTER);
  });

  it.each([
    '',
    '# comment',
    `EXPORTER_SECRET ${RANDOM} ${SECRET}`,
    `EARLY_EXPORTER_SECRET ${RANDOM} ${SECRET}`,
    `CLIENT_TRAFFIC_SECRET_1 ${RANDOM} ${SECRET}`,
    `SERVER_TRAFFIC_SECRET_N ${RANDOM} ${SECRET}`,
    `RSA 0123456789abcdef ${MASTER}`,
  ])('passes over %j without complaint', (line) => {
    const store = lines(line);
    expect([store.size, store.version, store.end()]).toEqual([0, 0, []]);
  });

  it.each([
    'hello',
    `CLIENT_RANDOM ${RANDOM}`,
    `CLIENT_RANDOM ${RANDOM.slice(2)} ${MASTER}`,
    `CLIENT_RANDOM ${RANDOM} ${SECRET}`,
    `CLIENT_TRAFFIC_SECRET_0 ${RANDOM} ${SECRET}00`,
    `CLIENT_TRAFFIC_SECRET_0 ${RANDOM} ${SECRET.slice(2)}zz`,
    `NO_SUCH_LABEL ${RANDOM} ${SECRET}`,
    `CLIENT_RANDOM ${RANDOM} ${'0'.repeat(5000)}`,
  ])('counts %j as malformed', (line) => {
    const store = lines(line, `CLIENT_RANDOM ${RANDOM} ${MASTER}`);
    expect(store.end()).toEqual([{ kind: 'notice', code: 'keys.malformed', detail: '1 line' }]);
    expect(store.find(RANDOM)?.master).toBe(MASTER);
    expect(store.end()).toEqual([]);
  });

  it('reads a growing file however it is cut', () => {
    const text = `# c\nCLIENT_RANDOM ${RANDOM} ${MASTER}\nCLIENT_TRAFFIC_SECRET_0 ${'cd'.repeat(32)} ${SECRET}\n`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const store = secretStore();
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        for (let i = 1; i < at.length; i += 1) store.add(text.slice(at[i - 1], at[i]));
        expect([store.size, store.version]).toEqual([2, 2]);
        expect(store.end()).toEqual([]);
      }),
    );
  });

  it('reads a last line without line end when the key log is over', () => {
    const store = secretStore();
    store.add(`CLIENT_RANDOM ${RANDOM} ${MASTER}`);
    expect(store.find(RANDOM)).toBeUndefined();
    store.end();
    expect(store.find(RANDOM)?.master).toBe(MASTER);
  });

  it('keeps cut lines of two sources apart', () => {
    const store = secretStore();
    store.add(`CLIENT_RANDOM ${RANDOM} `, 'a');
    store.add(`CLIENT_RANDOM ${'cd'.repeat(32)} ${MASTER}\n`, 'b');
    store.add(`${MASTER}\n`, 'a');
    expect(store.size).toBe(2);
    expect(store.end()).toEqual([]);
  });

  it('grows its version only by what is new', () => {
    const store = lines(`CLIENT_RANDOM ${RANDOM} ${MASTER}`, `CLIENT_RANDOM ${RANDOM} ${MASTER}`);
    expect(store.version).toBe(1);
  });

  it('bounds a line that never ends', () => {
    const store = secretStore();
    for (let i = 0; i < 1000; i += 1) store.add('x'.repeat(10_000));
    store.add(`\nCLIENT_RANDOM ${RANDOM} ${MASTER}\n`);
    expect(store.find(RANDOM)?.master).toBe(MASTER);
    expect(store.end()).toHaveLength(1);
  });

  it('stops at its limit and reports it', () => {
    const store = secretStore();
    for (let batch = 0; batch < 101; batch += 1) {
      let text = '';
      for (let i = 0; i < 1000; i += 1) {
        const random = (batch * 1000 + i).toString(16).padStart(64, '0');
        text += `CLIENT_TRAFFIC_SECRET_0 ${random} ${SECRET}\n`;
      }
      store.add(text);
    }
    expect(store.size).toBe(100_000);
    expect(store.end()).toEqual([
      {
        kind: 'notice',
        code: 'limit.secrets',
        detail: '1000 lines beyond the secrets of 100000 client randoms',
      },
    ]);
  });

  it('gives candidates unused first, then newest first, or nearest', () => {
    const names = ['0a', '0b', '0c', '0d'].map((byte) => byte.repeat(32));
    const store = lines(...names.map((random) => `CLIENT_TRAFFIC_SECRET_0 ${random} ${SECRET}`));
    store.add(`CLIENT_RANDOM ${'0e'.repeat(32)} ${MASTER}\n`);
    store.find(names[3])!.used = true;
    const order = (...where: number[]) => store.candidates(...where).map(({ id }) => names.indexOf(id));
    expect(order()).toEqual([2, 1, 0, 3]);
    expect(order(2)).toEqual([2, 3]);
    expect(order(0, 2)).toEqual([1, 0, 2, 3]);
    expect(order(2, 1)).toEqual([2, 3]);
  });

  it('gives back the lines of used handshakes and no others', () => {
    const [mine, other] = ['0a'.repeat(32), '0b'.repeat(32)];
    const text = `CLIENT_TRAFFIC_SECRET_0 ${mine} ${SECRET}\nSERVER_TRAFFIC_SECRET_0 ${mine} ${MASTER}\n`;
    const store = lines(`CLIENT_RANDOM ${other} ${MASTER}`, `EXPORTER_SECRET ${mine} ${SECRET}`);
    store.add(text);
    expect(store.usedLines()).toBe('');
    store.find(mine)!.used = true;
    expect(store.usedLines()).toBe(text);
    // With who used them, where that line says which end each is.
    const users = [' side=client peer=kube-apiserver[1]', ''].map(
      (ends) => `# kubeseq handshake random=${mine} process=etcd[2]${ends}\n`,
    );
    store.add(users[1]);
    expect(store.usedLines()).toBe(text);
    store.add(users[0] + users[0].replace(mine, other));
    expect(store.usedLines()).toBe(text + users[0]);
  });
});
