import { describe, expect, it } from 'vitest';
import { ObservedCauses } from '../../../test/kit/causes-kit.js';
import { requestInfo } from '../api/request-info.js';
import type { Draft } from '../messages/draft.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import type { Participant } from '../messages/message.js';
import { ReflectorTracker } from './reflectors.js';
import type { TriggerQuery } from './trigger-query.js';
import { Watches } from './watches.js';

const PODS = '/api/v1/pods';
const KEY = 'pods. default web';
const ME = 7;
const asker: TriggerQuery = { process: [ME], writer: ME, resources: null, reactsToOwnWrites: false };

/** What one program lists and watches, and hears of the Pod `web`. */
class Program {
  readonly reflectors = new ReflectorTracker();
  readonly watches = new Watches(this.reflectors);
  readonly causes = new ObservedCauses();

  list(connection: number, target: string, seq: number, version: number, items = 1): void {
    const object = { kind: 'PodList', items, resourceVersion: `${version}` };
    this.watches.observeVersion(this.#context(connection, target), { seq, object } as Draft);
  }

  watch(connection: number, target: string, seq: number): ExchangeContext {
    const context = this.#context(connection, target);
    this.watches.observeRequest(context, { seq } as Draft);
    return context;
  }

  /** A watch of which only events are seen. */
  late(connection: number): ExchangeContext {
    return { ...this.#context(connection, PODS), info: null };
  }

  hears(context: ExchangeContext, seq: number, more: Partial<Draft> = {}): void {
    const object = { kind: 'Pod', apiVersion: 'v1', resourceVersion: `${seq}` };
    this.watches.observeVersion(context, { seq, type: 'MODIFIED', object, ...more } as Draft);
    const heard = { seq, time: 0, writer: 1, resource: 'pods', version: seq, source: this.reflectors.of(context) };
    this.causes.observeDelivery({ key: KEY, uid: 'u', resourceVersion: `${seq}` }, ME, heard);
  }

  /** What it asks about the Pod next has as its cause: */
  cause(): number | undefined {
    return this.causes.triggerFor({ key: KEY }, asker)?.seq;
  }

  #context(connection: number, target: string): ExchangeContext {
    const client = { id: ME, tier: 'others' } as Participant;
    (client as { process: Participant }).process = client;
    const info = requestInfo('GET', target);
    const initial = target.includes('sendInitialEvents=true');
    return { client, connection: { id: connection }, info, initial } as unknown as ExchangeContext;
  }
}

const from = (version: number, more = '') => `${PODS}?watch=true&resourceVersion=${version}${more}`;

describe('a program that begins anew', () => {
  /** It lists, watches, and hears of a Pod. */
  function running(): { program: Program; watch: ExchangeContext } {
    const program = new Program();
    program.list(1, PODS, 2, 5);
    const watch = program.watch(1, from(5), 3);
    program.hears(watch, 10);
    expect(program.cause()).toBe(10);
    return { program, watch };
  }

  it('resumes from its list, not from what it received before that', () => {
    const { program, watch } = running();
    program.watches.exchangeEnded(watch);
    program.list(2, PODS, 20, 15);
    const next = program.watch(2, from(15), 21);
    expect(program.cause()).toBeUndefined();
    program.hears(next, 30);
    expect(program.cause()).toBe(30);
  });

  it('nor from what it received of another object, before it listed that one', () => {
    const { program, watch } = running();
    const owner = { key: 'replicasets.apps default web', uid: 'rs' };
    program.causes.observeDelivery({ key: KEY, uid: 'u', owners: ['rs'], resourceVersion: '11' }, 8, {
      seq: 11,
      time: 0,
      writer: 1,
    });
    for (const seq of [9, 40]) {
      program.causes.observeDelivery(owner, ME, { seq, time: 0, writer: 1, resource: 'replicasets' });
      expect(program.cause()).toBe(Math.max(10, seq));
      if (seq > 9) continue;
      program.watches.exchangeEnded(watch);
      program.list(2, PODS, 20, 15);
      program.watch(2, from(15), 21);
      expect(program.cause()).toBeUndefined();
    }
  });

  it('or from all initial events of its watch, when they are complete', () => {
    const { program, watch } = running();
    program.watches.exchangeEnded(watch);
    const next = program.watch(2, `${PODS}?watch=true&sendInitialEvents=true`, 20);
    expect(program.cause()).toBe(10);
    program.watches.observeVersion(next, { seq: 22, type: 'ADDED', initial: true, object: {} } as Draft);
    expect(program.cause()).toBe(10);
    next.initial = false;
    program.watches.observeVersion(next, { seq: 23, type: 'BOOKMARK', initial: true, object: {} } as Draft);
    expect(program.cause()).toBeUndefined();
  });

  it('does not, if it watches over the same connection, has another watch of the same, or selects other objects', () => {
    const same = running();
    same.program.watches.exchangeEnded(same.watch);
    same.program.list(1, PODS, 20, 15);
    same.program.watch(1, from(15), 21);
    expect(same.program.cause()).toBe(10);

    const { program, watch } = running();
    program.list(2, PODS, 20, 15);
    program.watch(2, from(15), 21);
    expect(program.cause()).toBe(10);
    program.watches.exchangeEnded(watch);
    program.list(3, `${PODS}?labelSelector=a%3Db`, 30, 25);
    program.watch(3, from(25, '&labelSelector=a%3Db'), 31);
    expect(program.cause()).toBe(10);
  });

  it('is known though its first watch began before the capture', () => {
    const program = new Program();
    const late = program.late(1);
    for (const seq of [4, 5]) program.hears(late, seq);
    expect(program.cause()).toBe(5);
    program.watches.exchangeEnded(late);
    program.list(2, PODS, 20, 15);
    program.watch(2, from(15), 21);
    expect(program.cause()).toBeUndefined();
  });
});
