// What a request of an operator goes on from: events and answers, as client-go and controller-runtime programs send them.
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../api/object-ref.js';
import { LEARNT } from '../controllers.js';
import type { Delivery } from '../deliveries.js';
import { ObjectStates } from '../object-states.js';
import { turnAnswered } from '../turns.js';
import { WriteCorrelator } from '../write-correlation.js';
import { ProgramTurns } from './program-turns.js';

const PROCESS = 1;
const OTHER = 2;
const APP: ObjectRef = { key: 'apps.example.com shop cart', uid: 'cart' };
const OTHER_APP: ObjectRef = { key: 'apps.example.com shop pay', uid: 'pay' };
const DEPLOYMENT: ObjectRef = { key: 'deployments.apps shop cart', owners: ['cart'] };
const SECRET: ObjectRef = { key: 'secrets. shop db', uid: 'db' };

/** A program with its events, requests and answers. Times are ms; seq are as the calls come. */
class Operator {
  readonly #states = new ObjectStates();
  readonly #correlator = new WriteCorrelator(this.#states);
  readonly turns: ProgramTurns;
  #seq = 0;

  constructor(names: Record<string, readonly string[]> = {}) {
    this.turns = new ProgramTurns(this.#states, (key) => names[key] ?? []);
  }

  event(object: ObjectRef, time: number, more: Partial<Delivery> = {}): number {
    this.#seq += 1;
    const resource = object.key.slice(0, object.key.indexOf('.'));
    const delivery: Delivery = { seq: this.#seq, time, writer: OTHER, resource, ...more };
    this.#correlator.observeDelivery(object, PROCESS, delivery);
    this.turns.delivered(delivery, PROCESS, object.key);
    return this.#seq;
  }

  /** Sends a request that is answered after a millisecond. @returns `seq` of the event that its turn began with. */
  asks(kind: string, object: ObjectRef, time: number, status = 200): number | undefined {
    this.#seq += 1;
    const request = { seq: this.#seq, time, kind, client: PROCESS, before: Number.POSITIVE_INFINITY };
    const client = { process: [PROCESS], writer: PROCESS, resources: null, reactsToOwnWrites: true };
    const taken = this.turns.turnOf(object, client, LEARNT.queue!, {
      ...request,
      isStarting: false,
      hasStarted: false,
    });
    if (taken !== null) turnAnswered(taken.turn, kind, time + 1, status);
    return taken?.turn.trigger?.delivery.seq;
  }
}

describe('a request of an operator', () => {
  it('goes on from the answer before it, whatever was heard of its own object long ago', () => {
    const operator = new Operator();
    operator.event(APP, 0);
    const secret = operator.event(SECRET, 5000);
    expect(operator.asks('create secrets', { key: 'secrets. team db' }, 5001)).toBe(secret);
    expect(operator.asks('create secrets', { key: 'secrets. other db' }, 5002.5)).toBe(secret);
    expect(operator.asks('patch apps', APP, 5100)).not.toBe(secret);
  });

  it('is of another turn than one about another key', () => {
    const operator = new Operator();
    const cart = operator.event(APP, 0);
    expect(operator.asks('update apps/status', APP, 1)).toBe(cart);
    const pay = operator.event(OTHER_APP, 1.5);
    expect(operator.asks('update apps/status', OTHER_APP, 2.5)).toBe(pay);
  });

  it('follows a change of its key’s object when that comes back', () => {
    const operator = new Operator();
    const added = operator.event(APP, 0);
    expect(operator.asks('update apps', APP, 1)).toBe(added);
    const finalized = operator.event(APP, 2.5, { writer: PROCESS });
    expect(operator.asks('create deployments', DEPLOYMENT, 3)).toBe(finalized);
    expect(operator.asks('update apps/status', APP, 4.5)).toBe(finalized);
  });

  it('reads the object anew after a conflict in the same turn', () => {
    const operator = new Operator();
    const added = operator.event(APP, 0);
    operator.asks('update apps/status', APP, 1, 409);
    operator.event(APP, 1.5);
    expect(operator.asks('get apps', APP, 2.5)).toBe(added);
    expect(operator.asks('update apps/status', APP, 4)).toBe(added);
  });

  it('has to do with what its owner names', () => {
    const stories = [{}, { [APP.key]: ['db'] }].map((names) => {
      const operator = new Operator(names);
      operator.event(APP, 0);
      operator.asks('update apps/status', APP, 1);
      const secret = operator.event(SECRET, 3000);
      const other = operator.event({ key: 'secrets. shop other', uid: 'o' }, 3001);
      return [operator.asks('update deployments', DEPLOYMENT, 3002.5), secret, other];
    });
    expect(stories[0][0]).not.toBe(stories[0][1]);
    expect(stories[1][0]).toBe(stories[1][1]);
  });

  it('waits for the first list of what it asks its cache for', () => {
    const operator = new Operator();
    const added = operator.event(APP, 0);
    const later = { key: 'services. shop cart', owners: ['cart'] };
    expect(operator.asks('create deployments', DEPLOYMENT, 1)).toBe(added);
    operator.turns.listed(PROCESS, 2.2, 4);
    operator.event(OTHER_APP, 50);
    expect(operator.asks('create services', later, 104.5)).toBe(added);
  });

  it('has no reason where the same one comes again by the clock', () => {
    const operator = new Operator();
    const added = operator.event(APP, 0);
    const record = { key: 'dnsrecords.example.com dns cart.shop' };
    expect(operator.asks('get dnsrecords', record, 1)).toBe(added);
    expect(operator.asks('get dnsrecords', record, 3001)).toBeUndefined();
  });

  it('is about no turn that is forgotten: a program has 32 at a time', () => {
    const operator = new Operator();
    const first = operator.event(APP, 0);
    operator.asks('get apps', APP, 1);
    for (let i = 0; i < 40; i += 1) {
      const object = { key: `things.example.com shop thing-${i}x`, uid: `${i}` };
      operator.event(object, 10 + i);
      operator.asks('update things/status', object, 10.5 + i);
    }
    expect(operator.asks('patch deployments', DEPLOYMENT, 51)).not.toBe(first);
  });
});
