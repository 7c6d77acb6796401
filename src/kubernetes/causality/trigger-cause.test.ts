// How sure a trigger is, of clients whose work queue is not in the table.
import { expect, it } from 'vitest';
import type { Delivery } from './deliveries.js';
import { triggerAmong } from './trigger-cause.js';
import { newTurn, type Turn, turnAnswered } from './turns.js';

function delivery(seq: number, time: number): Delivery {
  return { seq, time, writer: 8, transition: seq === 1 ? 'added' : undefined };
}

/** A turn of one request, answered after 1 ms. */
function turnFor(by: Delivery, time: number): Turn {
  const turn = newTurn(
    by.seq + 1,
    time,
    triggerAmong({ delivery: by, possible: [by] }, undefined, 'unknown', time),
    undefined,
  );
  turn.open = 1;
  turnAnswered(turn, 'patch things', time + 1, 200);
  return turn;
}

it('of an operator is certain at once only: later its timers may have triggered it', () => {
  const added = delivery(1, 0);
  expect(triggerAmong({ delivery: added, possible: [added] }, undefined, 'unknown', 99).isCertain).toBe(true);
  expect(triggerAmong({ delivery: added, possible: [added] }, undefined, 'unknown', 101).isCertain).toBe(false);
  // Of a kubelet, all that triggers it is modelled: it pulls images for minutes.
  expect(triggerAmong({ delivery: added, possible: [added] }, undefined, 'deliveries', 60_000).isCertain).toBe(true);
  expect(triggerAmong({ delivery: added, possible: [added] }, undefined, 'own loops', 1).isCertain).toBe(false);
});

it('of a next request for the same delivery is as certain as the first, at once after its response', () => {
  const added = delivery(1, 0);
  const turn = turnFor(added, 50);
  expect(triggerAmong({ delivery: added, possible: [added] }, turn, 'unknown', 150).isCertain).toBe(true);
  expect(triggerAmong({ delivery: added, possible: [added] }, turn, 'unknown', 152).isCertain).toBe(false);
});

it('is not certain where the turn before may go on, and names its trigger', () => {
  const added = delivery(1, 0);
  const turn = turnFor(added, 50);
  const during = delivery(5, 50.5);
  expect(triggerAmong({ delivery: during, possible: [during] }, turn, 'unknown', 52)).toMatchObject({
    isCertain: false,
    others: [1],
  });
  // A worker that is idle takes what comes at once.
  expect(triggerAmong({ delivery: during, possible: [during] }, turn, 'unknown', 60)).toMatchObject({
    isCertain: true,
    others: [],
  });
  const afterwards = delivery(7, 51.5);
  expect(triggerAmong({ delivery: afterwards, possible: [afterwards] }, turn, 'unknown', 52)).toMatchObject({
    isCertain: true,
    others: [],
  });
  turn.open = 1;
  expect(triggerAmong({ delivery: afterwards, possible: [afterwards] }, turn, 'unknown', 60)).toMatchObject({
    isCertain: false,
    others: [1],
  });
});
