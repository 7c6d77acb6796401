// The rules are those of client-go (util/workqueue: queue.go, delaying_queue.go, default_rate_limiters.go; util/retry: util.go).
import { describe, expect, it } from 'vitest';
import { OWN_KEYS, type WorkQueue } from './controller-table.js';
import { workQueueOf } from './controllers.js';
import type { Delivery } from './deliveries.js';
import {
  MAX_OTHERS,
  newTurn,
  type TakenTurn,
  type Turn,
  type TurnRequest,
  takeTurn,
  turnAbandoned,
  turnAnswered,
} from './turns.js';

const CONTROLLER = 1;
const OTHER = 2;
const CONFLICT = 409;
/** Base delay of DefaultTypedControllerRateLimiter, ms (default_rate_limiters.go). */
const BASE_DELAY_MS = 5;

const QUEUE: WorkQueue = { resource: 'webs', last: ['update webs/status'] };

/** One key of a work queue, and the controller that takes it. Times are ms. */
class Key {
  last: Turn | undefined;
  readonly #queue: WorkQueue;
  readonly #notifications: Delivery[] = [];
  #seq = 0;

  constructor(queue = QUEUE) {
    this.#queue = queue;
    // The capture began long ago: the object was created in it, and a turn was taken for that.
    this.notified(0, { transition: 'added' });
    this.request(10, queue.last[0], 200, 11);
  }

  /** A handler adds the key for an event. */
  notified(time: number, more: Partial<Delivery> = {}): Delivery {
    this.#seq += 1;
    const delivery: Delivery = { seq: this.#seq, time, writer: OTHER, ...more };
    this.#notifications.push(delivery);
    return delivery;
  }

  /** A request is sent, and not answered yet. */
  sent(time: number, kind: string, more: Partial<TurnRequest> = {}): TakenTurn {
    this.#seq += 1;
    const request = requestOf({ seq: this.#seq, time, kind, ...more });
    const taken = takeTurn(this.last, request, this.#queue, this.#notifications);
    this.last = taken.turn;
    return taken;
  }

  answered(turn: Turn, kind: string, time: number, status = 200): void {
    this.#seq += 1;
    turnAnswered(turn, kind, time, status);
  }

  /** A request and its response. */
  request(sent: number, kind: string, status: number, answered: number): TakenTurn {
    const taken = this.sent(sent, kind);
    this.answered(taken.turn, kind, answered, status);
    return taken;
  }
}

function requestOf(more: Pick<TurnRequest, 'seq' | 'time' | 'kind'> & Partial<TurnRequest>): TurnRequest {
  return {
    before: Number.POSITIVE_INFINITY,
    isStarting: false,
    hasStarted: false,
    client: CONTROLLER,
    ...more,
  };
}

/** What a capture that begins in the middle can have as its first turn. */
function firstTurn(notifications: readonly Delivery[], more: Partial<TurnRequest> = {}): TakenTurn {
  const request = requestOf({ seq: 100, time: 100, kind: 'create pods', ...more });
  return takeTurn(undefined, request, QUEUE, notifications);
}

/** `seq` of all notifications that can have triggered a turn. */
function possible({ turn: { trigger } }: TakenTurn): number[] {
  return trigger === undefined ? [] : [trigger.delivery.seq, ...trigger.others].sort((a, b) => a - b);
}

describe('Add (queue.go)', () => {
  it('adds a key that no worker has: the notification is the trigger, the only one possible', () => {
    const key = new Key();
    const changed = key.notified(1000);
    const taken = key.sent(1002, 'create pods');
    expect(taken.isCertain).toBe(true);
    expect(taken.turn.trigger).toEqual({ delivery: changed, isRequeue: false, isCertain: true, others: [] });
  });

  it('merges equal keys that wait (`dirty`): one turn for several notifications, any of which can be the trigger', () => {
    const key = new Key();
    const waiting = [1000, 1001, 1002].map((time) => key.notified(time));
    const first = key.request(1003, 'create pods', 201, 1004);
    expect(possible(first)).toEqual(waiting.map(({ seq }) => seq));
    expect(first.turn.trigger?.isCertain).toBe(false);
    // Get removed the key from `dirty`: none of them adds it again.
    const second = key.request(1004.5, 'update webs/status', 200, 1005);
    expect(second.turn).toBe(first.turn);
    expect(key.sent(2000, 'create pods').turn.trigger?.isRequeue).toBe(true);
  });

  it('names a limited number of the merged notifications', () => {
    const key = new Key();
    for (let at = 0; at <= MAX_OTHERS + 1; at += 1) key.notified(1000 + at / 10);
    const { trigger } = key.sent(1003, 'create pods').turn;
    expect(trigger?.others).toHaveLength(MAX_OTHERS);
    expect(trigger?.isCertain).toBe(false);
  });

  it('does not count what came after the version that the request is based on (optimistic concurrency)', () => {
    const key = new Key();
    const had = key.notified(1000);
    const newer = key.notified(1001);
    const taken = key.sent(1003, 'update webs/status', { before: newer.seq });
    expect(possible(taken)).toEqual([had.seq]);
  });
});

describe('AddAfter (delaying_queue.go)', () => {
  it('collects events of a Job’s Pods for 1 s: each of them can be the trigger (job_controller.go: syncJobBatchPeriod)', () => {
    const key = new Key(workQueueOf('job-controller'));
    const collected = [1000, 1600].map((time) => key.notified(time));
    const taken = key.sent(2002, 'update jobs/status');
    expect(possible(taken)).toEqual(collected.map(({ seq }) => seq));
    expect(taken.turn.trigger?.isCertain).toBe(false);
  });

  it('adds the key by a timer: a request long after the last one is of a turn of its own, with the same trigger', () => {
    const key = new Key();
    const changed = key.notified(1000);
    const { turn } = key.request(1002, 'create replicasets', 201, 1003);
    const later = key.sent(11_003, 'update webs');
    expect(later.turn).not.toBe(turn);
    expect(later.turn.trigger).toMatchObject({ delivery: changed, isRequeue: true, isCertain: false });
  });
});

describe('a key that is added while a worker has it (`processing`)', () => {
  it('is processed again at once after Done, for the notification that came meanwhile', () => {
    const key = new Key();
    key.notified(1000);
    const { turn } = key.sent(1002, 'update webs/status');
    const meanwhile = key.notified(1003);
    key.answered(turn, 'update webs/status', 1004);
    const next = key.sent(1005, 'create pods');
    expect(next.turn).not.toBe(turn);
    expect(next.turn.trigger).toMatchObject({ delivery: meanwhile, isRequeue: false });
  });

  it('is processed once again for all that came meanwhile', () => {
    const key = new Key();
    key.notified(1000);
    const { turn } = key.sent(1002, 'update webs/status');
    const meanwhile = [1002.5, 1003].map((time) => key.notified(time));
    key.answered(turn, 'update webs/status', 1004);
    expect(possible(key.request(1005, 'update webs/status', 200, 1006))).toEqual(meanwhile.map(({ seq }) => seq));
    expect(key.sent(2000, 'create pods').turn.trigger?.isRequeue).toBe(true);
  });

  it('is not taken by a second worker ("Stingy", doc.go): with a request open, the next one is of the same turn', () => {
    const key = new Key();
    const changed = key.notified(1000);
    const first = key.sent(1002, 'create pods');
    key.notified(1003);
    const second = key.sent(1004, 'create pods');
    expect(second.turn).toBe(first.turn);
    expect(second.turn.trigger?.delivery).toBe(changed);
    expect(second.isCertain).toBe(true);
  });
});

describe('requests of one turn', () => {
  it('share the trigger, whatever arrives meanwhile, as the worker sends each upon the response before', () => {
    const key = new Key();
    const changed = key.notified(1000);
    const { turn } = key.sent(1002, 'create replicasets');
    key.notified(1003);
    key.answered(turn, 'create replicasets', 1004, 201);
    const next = key.sent(1004.5, 'update webs');
    expect(next.turn).toBe(turn);
    expect(next.turn.trigger?.delivery).toBe(changed);
    expect(next.isCertain).toBe(true);
  });

  it('are not certain to be of it where another turn can have begun: the worker paused, and was notified', () => {
    const key = new Key();
    key.notified(1000);
    const { turn } = key.sent(1002, 'create replicasets');
    key.notified(1003);
    key.answered(turn, 'create replicasets', 1004, 201);
    expect(key.sent(1008, 'update webs').isCertain).toBe(false);
  });

  it('end with the status, of the one turn: the next request is of the next, even at once', () => {
    const key = new Key();
    key.notified(1000);
    const { turn } = key.sent(1002, 'update webs/status');
    const meanwhile = key.notified(1003);
    key.answered(turn, 'update webs/status', 1004);
    expect(key.sent(1004.1, 'create pods').turn.trigger?.delivery).toBe(meanwhile);
  });

  it('end with the second status of a new ReplicaSet (deployment/sync.go: getNewReplicaSet, syncRolloutStatus)', () => {
    const key = new Key(workQueueOf('deployment-controller'));
    key.notified(1000);
    const { turn } = key.request(1002, 'create replicasets', 201, 1003);
    const [first, second] = [1003.5, 1004.5].map((at) => key.request(at, 'update deployments/status', 200, at + 0.5));
    expect([first.turn, second.turn]).toEqual([turn, turn]);
    const later = key.notified(1005.2);
    expect(key.sent(1007, 'update deployments/status').turn.trigger?.delivery).toBe(later);
  });

  it('go on after a Job’s status with the finalizers (job_controller.go: trackJobStatusAndRemoveFinalizers)', () => {
    const key = new Key(workQueueOf('job-controller'));
    const changed = key.notified(1000);
    const { turn } = key.request(1002, 'update jobs/status', 200, 1003);
    key.notified(1003.2);
    const removed = key.request(1003.5, 'patch pods', 200, 1004);
    const counted = key.request(1004.2, 'update jobs/status', 200, 1005);
    expect([removed.turn, counted.turn]).toEqual([turn, turn]);
    expect(counted.turn.trigger?.delivery).toBe(changed);
    expect(key.sent(1005.2, 'update jobs/status').turn).not.toBe(turn);
  });
});

describe('what a controller wrote itself', () => {
  it('adds the key as well, when the event comes back: handlers do not know the writer', () => {
    const key = new Key();
    key.notified(1000);
    const { turn } = key.sent(1002, 'update webs/status');
    const own = key.notified(1003, { writer: CONTROLLER });
    key.answered(turn, 'update webs/status', 1003.5);
    const next = key.sent(1005, 'update webs/status');
    expect(next.turn.trigger).toMatchObject({ delivery: own, isRequeue: false });
  });

  it('is the less likely trigger of two that merged: it holds nothing new to the controller', () => {
    const key = new Key();
    key.notified(1000);
    const { turn } = key.sent(1002, 'update webs/status');
    const own = key.notified(1003, { writer: CONTROLLER });
    const others = key.notified(1003.2);
    key.answered(turn, 'update webs/status', 1003.5);
    const next = key.sent(1005, 'update webs/status');
    expect(next.turn.trigger?.delivery).toBe(others);
    expect(possible(next)).toEqual([own.seq, others.seq]);
  });
});

describe('a key that is added again without a notification', () => {
  it('has the trigger of the turn before (AddRateLimited after an error, 5 ms at first)', () => {
    const key = new Key();
    const changed = key.notified(1000);
    const failed = key.request(1002, 'update webs/status', CONFLICT, 1003);
    const again = key.request(1003 + BASE_DELAY_MS + 1, 'update webs/status', 200, 1010);
    expect(again.turn).not.toBe(failed.turn);
    expect(again.turn.trigger).toMatchObject({ delivery: changed, isRequeue: true, isCertain: false });
  });

  it('is a turn of its own, even if the failed one had not got to its last request', () => {
    const key = new Key();
    const changed = key.notified(1000);
    const failed = key.request(1002, 'create pods', 500, 1003);
    const again = key.sent(1003 + BASE_DELAY_MS + 1, 'create pods');
    expect(again.turn).not.toBe(failed.turn);
    expect(again.turn.trigger).toMatchObject({ delivery: changed, isRequeue: true, isCertain: false });
  });

  it('is taken for a notification instead that comes before the delay is over (Add merges them)', () => {
    const key = new Key();
    key.notified(1000);
    key.request(1002, 'update webs/status', CONFLICT, 1003);
    const newer = key.notified(1004);
    const again = key.sent(1006, 'update webs/status');
    expect(again.turn.trigger).toMatchObject({ delivery: newer, isRequeue: false });
  });

  it('keeps its trigger through several retries', () => {
    const key = new Key();
    const changed = key.notified(1000);
    let at = 1002;
    for (let failures = 0; failures < 5; failures += 1) {
      const { trigger } = key.request(at, 'update webs/status', CONFLICT, at + 1).turn;
      expect(trigger).toMatchObject({ delivery: changed, isRequeue: failures > 0 });
      at += 2 + BASE_DELAY_MS * 2 ** failures;
    }
  });
});

describe('a status that fails with a conflict', () => {
  it('is read and written again in the same turn (replica_set_utils.go: updateReplicaSetStatus)', () => {
    const key = new Key(workQueueOf('replicaset-controller'));
    key.notified(1000);
    const { turn } = key.request(1002, 'update replicasets/status', CONFLICT, 1003);
    key.notified(1003.2);
    const read = key.request(1003.5, 'get replicasets', 200, 1004);
    const again = key.request(1004.5, 'update replicasets/status', 200, 1005);
    expect([read.turn, again.turn]).toEqual([turn, turn]);
    expect(key.sent(1005.5, 'update replicasets/status').turn).not.toBe(turn);
  });

  it('is written again after 10 to 11 ms in the same turn (stateful_set_status_updater.go; retry.DefaultRetry)', () => {
    const key = new Key(workQueueOf('statefulset-controller'));
    const changed = key.notified(1000);
    const { turn } = key.request(1002, 'update statefulsets/status', CONFLICT, 1003);
    key.notified(1005);
    const again = key.request(1014, 'update statefulsets/status', 200, 1015);
    expect(again.turn).toBe(turn);
    expect(again.turn.trigger?.delivery).toBe(changed);
  });

  it('is not written again after another failure: the turn ends', () => {
    const key = new Key(workQueueOf('statefulset-controller'));
    key.notified(1000);
    const { turn } = key.request(1002, 'update statefulsets/status', 500, 1003);
    expect(key.sent(1003 + BASE_DELAY_MS + 1, 'update statefulsets/status').turn).not.toBe(turn);
  });
});

describe('a request whose response is not captured', () => {
  it('holds its worker no longer than its exchange', () => {
    const key = new Key();
    key.notified(1000);
    const { turn } = key.sent(1002, 'update webs/status');
    turnAbandoned(turn);
    const later = key.notified(2000);
    const next = key.sent(2002, 'update webs/status');
    expect(next.turn).not.toBe(turn);
    expect(next.turn.trigger?.delivery).toBe(later);
  });
});

describe('a capture that begins in the middle of a turn', () => {
  it('makes nothing certain: what triggered the turn can have come before', () => {
    const { turn } = firstTurn([{ seq: 1, time: 90, writer: OTHER }]);
    expect(turn.trigger).toMatchObject({ delivery: { seq: 1 }, isCertain: false });
  });

  it('leaves nothing open of an object that is new since, or of a controller that started since', () => {
    const added = firstTurn([{ seq: 1, time: 90, writer: OTHER, transition: 'added' }]);
    const started = firstTurn([{ seq: 1, time: 90, writer: OTHER }], { hasStarted: true });
    for (const { turn } of [added, started])
      expect(turn.trigger).toMatchObject({ delivery: { seq: 1 }, isCertain: true });
  });

  it('has no trigger where no notification was captured', () => {
    expect(firstTurn([]).turn.trigger).toBeUndefined();
  });
});

describe('the first requests of a controller', () => {
  it('follow from the first notification: workers wait for the token, and the key with them', () => {
    const notifications = [1, 2, 3].map((seq): Delivery => ({ seq, time: seq * 10, writer: OTHER }));
    const taken = firstTurn(notifications, { isStarting: true });
    expect(taken.turn.trigger?.delivery.seq).toBe(1);
    expect(possible(taken)).toEqual([1, 2, 3]);
  });
});

describe('a client with several queues of the same keys', () => {
  const SEVERAL: WorkQueue = { resource: 'nodes', last: ['patch nodes'], isOneOfSeveral: true };

  it('can have the key in two workers at once: a request is of no certain turn', () => {
    const key = new Key(SEVERAL);
    key.notified(1000);
    const first = key.sent(1002, 'get nodes');
    key.notified(1003);
    const second = key.sent(1004, 'get nodes');
    expect([first.isCertain, second.isCertain]).toEqual([false, false]);
  });
});

it('remembers one turn before the last: a Kubernetes Event is sent within the next turn (tools/record)', () => {
  const first = newTurn(1, 1, undefined, undefined);
  const second = newTurn(2, 2, undefined, first);
  const third = newTurn(3, 3, undefined, second);
  expect([third.previous, second.previous]).toEqual([second, undefined]);
});

describe('a turn where its end is not known', () => {
  const KIND = 'patch things';
  const operator: WorkQueue = { ...OWN_KEYS, hasTimers: true };
  const delivery = (seq: number, time: number): Delivery => ({
    seq,
    time,
    writer: OTHER,
    transition: seq === 1 ? 'added' : undefined,
  });
  const added = delivery(1, 0);
  const take = (
    queue: WorkQueue,
    last: Turn | undefined,
    time: number,
    notifications: readonly Delivery[] = [added],
  ): TakenTurn => takeTurn(last, requestOf({ seq: time + 1000, time, kind: KIND }), queue, notifications);
  /** A turn of one request, answered after 1 ms. */
  const turnAt = (time: number): Turn => {
    const { turn } = take(operator, undefined, time);
    turnAnswered(turn, KIND, time + 1, 200);
    return turn;
  };

  it('is certain at once only where timers wake the client too', () => {
    expect(take(operator, undefined, 99).isCertain).toBe(true);
    expect(take(operator, undefined, 101).isCertain).toBe(false);
    // Of a kubelet, all that triggers it is modelled: it pulls images for minutes.
    expect(take(OWN_KEYS, undefined, 60_000).isCertain).toBe(true);
    expect(take({ ...OWN_KEYS, isOneOfSeveral: true }, undefined, 1).isCertain).toBe(false);
  });

  it('goes on with later requests, as certain as the first at once after a response', () => {
    const turn = turnAt(50);
    expect(take(operator, turn, 150)).toEqual({ turn, isCertain: true });
    expect(take(operator, turn, 152)).toEqual({ turn, isCertain: false });
    expect(turn.trigger?.isCertain).toBe(true);
  });

  it('begins with the newest notification, uncertain where the turn before may go on', () => {
    const during = delivery(5, 50.5);
    const triggerAfter = (time: number, newest: Delivery, open = 0): Turn['trigger'] => {
      const turn = turnAt(50);
      turn.open = open;
      return take(operator, turn, time, [added, newest]).turn.trigger;
    };
    expect(triggerAfter(52, during)).toMatchObject({ delivery: during, isCertain: false, others: [1] });
    // A worker that is idle takes what comes at once.
    expect(triggerAfter(60, during)).toMatchObject({ isCertain: true, others: [] });
    const afterwards = delivery(7, 51.5);
    expect(triggerAfter(52, afterwards)).toMatchObject({ isCertain: true, others: [] });
    expect(triggerAfter(60, afterwards, 1)).toMatchObject({ isCertain: false, others: [1] });
  });
});
