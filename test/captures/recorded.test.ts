// Recordings of a cluster that had been running, with no time before the command (fixtures/causes/recorded-*): who receives what on
// connections that were open before, and what that leads to.

import { describe, expect, it } from 'vitest';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { causesIn } from '../kit/causes.js';
import { fixture } from '../kit/fixtures.js';
import { filtered, observed } from '../kit/observed.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const CREATE = 'causes/recorded-create';
const KEYS = keyLog(CREATE);
/** On which the controller manager receives, and sends nothing in the recording but its Lease, in its first frames. */
const INFORMERS = '192.0.2.10:53604-192.0.2.10:6443';

function keyLog(folder: string): string {
  return Buffer.from(fixture(`${folder}/keys.log`)).toString('latin1');
}

async function read(capture: Uint8Array, keyLogs: string): Promise<readonly Message[]> {
  return (await observed([capture], { keyLogs: [keyLogs] })).messages;
}

/** Without the Lease of the controller manager: from the handshake of kubectl on. */
function withoutLease(): Uint8Array {
  let frame = 0;
  return filtered(fixture(`${CREATE}/capture.pcap`), () => {
    frame += 1;
    return frame > 12;
  });
}

describe('who received something before it named itself', async () => {
  const deployment = ({ kind, connection, object }: Message): boolean =>
    kind === 'event' && connection === INFORMERS && object?.kind === 'Deployment';

  it('is known by a request of its own that was read whole', async () => {
    const messages = await read(fixture(`${CREATE}/capture.pcap`), KEYS.replaceAll(/process=\S+/g, 'process='));
    const [added] = messages.filter(deployment);
    expect([added.toName, added.inferred]).toEqual(['kube-controller-manager', ['to']]);
    const led = messages.find((one) => one.causedBy === added.seq);
    expect([led?.fromName, led?.verb, led?.resource]).toEqual(['deployment-controller', 'create', 'replicasets']);
  });

  it('is known by the process that used the secrets, as the key log has it', async () => {
    const messages = await read(withoutLease(), KEYS);
    const [added] = messages.filter(deployment);
    expect(messages.some(({ connection, kind }) => connection === INFORMERS && kind === 'request')).toBe(false);
    expect(added.toName).toBe('kube-controller-manager');
    expect(added.to.evidence.join()).toMatch(
      /process 1327, kube-controller-manager, as kubeseq keys noted \(frame \d+\)/,
    );
    const create = messages.find(({ verb, resource }) => verb === 'create' && resource === 'replicasets');
    expect(causesIn(messages)(create)).toBe(added);
  });
});

it('both ends of a handshake are known by the processes that had it, as the key log has them', async () => {
  const secrets = keyLog('clients-tls');
  const randoms = new Set(
    [...secrets.matchAll(/^CLIENT_TRAFFIC_SECRET_0 ([0-9a-f]{64})/gm)].map(([, random]) => random),
  );
  const users = [...randoms].map(
    (one) => `# kubeseq handshake random=${one} process=shop[7] side=client peer=api[5]\n`,
  );
  const evidence = async (log: string): Promise<string[]> => {
    const messages = await read(fixture('clients-tls/capture.pcap'), log);
    return messages
      .filter(({ kind }) => kind === 'request')
      .flatMap(({ from, to }) => [from, to].map((end) => end.evidence.join()));
  };
  const noted = (all: readonly string[]): (string | undefined)[] =>
    all.map((text) => /process (\d, \w+), as kubeseq keys noted/.exec(text)?.[1]);
  const [without, found] = [noted(await evidence(secrets)), noted(await evidence(secrets + users.join('')))];
  expect(without.every((one) => one === undefined)).toBe(true);
  expect(found.length).toBeGreaterThan(20);
  expect(found).toEqual(found.map((_, i) => (i % 2 === 0 ? '7, shop' : '5, api')));
});

it('what a deleted Deployment owned may be missing where nothing shows its owner, as the last note says', async () => {
  const { messages, notices } = await observeWhole('causes/recorded-delete');
  const note = 'objects that it owned before the capture may be missing';
  const follow = parseFollow('deployment/web', 'default')!;
  expect(buildSequence({ messages, notices }, { follow }).coverage.others).toEqual([]);
  const kubectl = messages.filter(({ from, to }) => [from, to].some(({ component }) => component === 'kubectl'));
  expect(kubectl).toHaveLength(4);
  const { coverage, closing } = buildSequence({ messages: kubectl, notices: [] }, { follow });
  expect(coverage.others).toEqual([note]);
  expect(closing.join()).toContain(note);
});
