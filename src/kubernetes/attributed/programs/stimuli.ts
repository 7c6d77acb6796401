// Weighs what a request of a program without a row can go on from: an event or an answer, by what it has to do with the request's
// object, and by how long before the request it came.
//
// Weights are logarithms of odds. They were chosen on the recordings of docs/causes.md and on those of
// operators (fixtures/causes); test/truth/score.test.ts holds what they reach.

/** An event of the object itself. */
export const ITSELF = 3.5;
/** Of its owner, of what it owns, of what its text or its owner's names; an answer in a turn about one of these. */
export const RELATED = 3;
/** Of an object that it is named after, of its namespace; an answer in a turn that makes objects of its name elsewhere. */
export const ALIKE = 2;
/** An event of an owned object, for a change of the owner itself: another controller of the program may have made that. */
export const OF_CHILD = 1.5;
/** A turn has sent such a request about another object. */
export const UNLIKE = -1;
/** The change that woke it is the program's own. */
export const OWN_WRITE = -2;
/** It is a status that the program patches, which no handler of its own waits for (GenerationChangedPredicate). */
export const OWN_PROGRESS = -3.5;
/** It is the deletion of an object, after which another controller of the program goes on: finalizers, dependents. */
export const GOING = 0.5;
/** The last request of a turn changed the object of its key: the change comes back as an event. */
export const ENDED = -2.5;
/** It changed a status, and the request is the first of its kind in the turn. */
export const REPORTED = -2;
/** Another request of the turn is not answered yet. */
export const BESIDE = -2;
/** The same request, after it failed. */
export const AGAIN = -1;
/** The object is read anew after a conflict, or changed after that (client-go util/retry). */
export const ANEW = 1.5;
/** Another turn has begun with an event, or would have begun: one more, by each. */
export const CONSUMED = -1.5;
/** At most so much for all of them. */
export const MOST_CONSUMED = -4;
/** Every request of the kind was in turns that such an event began. */
export const HABIT = 1.5;
/** At least so much for how late a request comes: what its worker waited for may not be in the capture. */
export const LATE = -5;
/** What weighs so much less is out of the question. */
export const RIVAL = 3;
/** Below it nothing is named. */
export const UNLIKELY = -2.5;

/** How often a worker sends a request so long after what it goes on from. @param ms the time between. */
export function likelihood(ms: number): number {
  return PAUSES.find(([most]) => ms < most)?.[1] ?? NEVER;
}

/** The relation of a request's object to an event's, by their names alone. @param object key. @param event key of its object. */
export function relationByName(object: string, event: string): number {
  const [, namespace] = object.split(' ');
  const [resource, , name] = event.split(' ');
  if (resource === 'namespaces.') return namespace === name ? ALIKE : 0;
  return isNamedAfter(object, event) ? ALIKE : 0;
}

/** Whether an object's name has that of another in it, between dashes or dots: `cart.shop` in another namespace than `cart` of `shop`. */
export function isNamedAfter(object: string, other: string): boolean {
  const [, namespace, name] = object.split(' ');
  const [resource, otherNamespace, otherName] = other.split(' ');
  if (name === undefined || otherName === undefined || resource === 'namespaces.') return false;
  const isNear = namespace === otherNamespace || namespace === '' || otherNamespace === '' || name === otherName;
  return (isNear || name.includes(otherNamespace)) && `-${name.replaceAll('.', '-')}-`.includes(`-${otherName}-`);
}

/** Whether an object is among those that a text names, in its own namespace or in none. @param from key of the object with the text. */
export function isAmong(object: string, names: readonly string[], from: string): boolean {
  if (names.length === 0) return false;
  const [, namespace, name] = object.split(' ');
  return names.includes(name) && (namespace === '' || namespace === from.split(' ')[1]);
}

/**
 * Whether a request is about another key of the same resource: a turn is about one. Objects of one name are made beside each other.
 * @param others keys of the request's object and its owners.
 */
export function isOfOther(key: string, others: readonly string[]): boolean {
  const [resource, , name] = key.split(' ');
  const alike = others.filter((one) => one.startsWith(`${resource} `));
  return alike.length > 0 && !alike.some((one) => one.endsWith(` ${name}`) || isUnnamed(one));
}

/** Whether the server makes the name: such objects are several. */
export function isUnnamed(key: string): boolean {
  return key.endsWith(' ');
}

/** Below so many ms. A program cannot act on what it received less than 0.1 ms ago. */
const PAUSES: readonly (readonly [most: number, weight: number])[] = [
  [0.1, -3],
  [2, 0],
  [5, -1],
  [20, -2],
  [100, -3],
  [1100, -4.5],
];
const NEVER = -7;
