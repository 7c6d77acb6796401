import { describe, expect, it } from 'vitest';
import { exchanged, type Given, KUBECTL, REPLICASETS } from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { indexMessages } from '../message-index.js';
import { operationsIn, releaseNotes } from './releases.js';

const asked = (given: Given, status = 200): Message[] =>
  exchanged({ from: KUBECTL, verb: 'patch', resource: 'deployments', ...given }, { status });

const recorded = (status: string, revision = 1, given: Given = {}): Message[] =>
  asked({
    verb: 'update',
    resource: 'secrets',
    name: `sh.helm.release.v1.shop.v${revision}`,
    release: { name: 'shop', revision, status },
    ...given,
  });
const removed = (revision: number): Message[] =>
  asked({ verb: 'delete', resource: 'secrets', name: `sh.helm.release.v1.shop.v${revision}` });
const write = (given: Given = {}, status = 200): Message[] => asked({ name: 'shop', ...given }, status);

/** What each exchange is part of, by its place: the word that the operation begins with, and its revision. */
function parts(...exchanges: readonly Message[][]): (string | null)[] {
  const found = operationsIn(indexMessages(exchanges.flat()));
  return exchanges.map(([request]) => found.get(request)?.replace(/ of release shop, revision /, ' ') ?? null);
}

describe('operations', () => {
  it.each([
    [
      'an upgrade, from its first record to the one with its outcome',
      [write(), recorded('pending-upgrade', 2), write(), recorded('superseded'), recorded('deployed', 2), write()],
      [null, 'upgrade 2', 'upgrade 2', 'upgrade 2', 'upgrade 2', null],
    ],
    [
      'one that failed, and the rollback that follows at once',
      [recorded('pending-upgrade', 2), recorded('failed', 2), recorded('pending-rollback', 3), write()],
      ['upgrade 2', 'upgrade 2', 'rollback 3', 'rollback 3'],
    ],
    [
      'a record that is written twice begins nothing anew',
      [recorded('pending-install'), recorded('pending-install'), recorded('deployed')],
      ['install 1', 'install 1', 'install 1'],
    ],
    [
      'an uninstall, with hooks, until its last record is deleted',
      [recorded('uninstalling', 2), write({ verb: 'create' }), removed(1), removed(2), write()],
      ['uninstall 2', 'uninstall 2', 'uninstall 2', 'uninstall 2', null],
    ],
    [
      'an uninstall that keeps its records',
      [recorded('uninstalling', 2), recorded('uninstalled', 2), write()],
      ['uninstall 2', 'uninstall 2', null],
    ],
    [
      'not what others write meanwhile, nor looks, nor what was refused, nor what is a dry run',
      [
        recorded('pending-install'),
        write({ from: REPLICASETS }),
        write({ verb: 'get' }),
        write({}, 422),
        write({ dryRun: true }),
        write(),
      ],
      ['install 1', null, null, null, null, 'install 1'],
    ],
  ] as const)('%s', (_, exchanges, expected) => {
    expect(parts(...exchanges)).toEqual(expected);
  });

  it('are not begun by a record that was refused', () => {
    const [request, response] = recorded('pending-install');
    expect(parts([request, { ...response, status: 409 }], write())).toEqual([null, null]);
  });
});

describe('records', () => {
  it('are noted where they have something new', () => {
    const exchanges = [recorded('pending-install'), recorded('pending-install'), recorded('deployed')];
    const said = releaseNotes(indexMessages(exchanges.flat()));
    expect(exchanges.map(([request]) => said.get(request) ?? null)).toEqual([
      ['release shop, revision 1: pending-install'],
      null,
      ['release shop, revision 1: deployed'],
    ]);
  });

  it('of releases of one name in two namespaces are two', () => {
    const exchanges = ['a', 'b'].map((namespace) => recorded('deployed', 1, { namespace }));
    expect(releaseNotes(indexMessages(exchanges.flat())).size).toBe(2);
  });
});
