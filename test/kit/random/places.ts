// Where a random string was put, and how it looks there.

/** Where a random string was put. */
export type Place =
  | { readonly in: 'header'; readonly name: string }
  | { readonly in: 'query'; readonly path: string; readonly name: string }
  | (BodyPart & { readonly in: 'key' | 'number' })
  /** Of a path behind an object, or of one that is none of the API's: `role` says which. */
  | { readonly in: 'segment'; readonly role: string }
  | { readonly in: 'user-info'; readonly name: string }
  | { readonly in: 'selector'; readonly parameter: string; readonly key: string }
  | BodyPlace;

export interface BodyPlace extends BodyPart {
  readonly in: 'body';
}

/** Where something stands in a body. */
export interface BodyPart {
  /** Whose body: objects of Kubernetes, messages of etcd's and CRI's calls, JSON that is none of Kubernetes'. */
  readonly api: 'kubernetes' | 'etcd' | 'cri' | 'json';
  /**
   * `apiVersion/Kind` of the innermost object that says its kind (`v1/Pod`; `/` before the path where it says none), or the full name of
   * the call's message (`runtime.v1.PullImageRequest`).
   */
  readonly type: string;
  /** Path of the request, without its query; empty where it is not known. */
  readonly target: string;
  /** Members from that object on by their JSON names; `*` for an element of a list. Keys of maps stand as they are. */
  readonly path: readonly string[];
}

/** The same place for the same kind of value. */
export function keyOf(place: Place): string {
  if (place.in === 'header') return place.name;
  if (place.in === 'query') return `${place.path}?${place.name}`;
  if (place.in === 'segment') return `segment ${place.role}`;
  if (place.in === 'user-info') return `user-info ${place.name}`;
  if (place.in === 'selector') return `selector ${place.parameter} ${place.key}`;
  return `${place.in === 'body' ? '' : place.in} ${place.api} ${place.type} ${place.target} ${place.path.join('\n')}`;
}

/** As a failure says it. */
export function placeName(place: Place): string {
  if (place.in === 'header') return `header ${place.name}`;
  if (place.in === 'query') return `query ${place.path.replace(/[^/]*\d[^/]*/g, '…')}?${place.name}=`;
  if (place.in === 'segment') return `segment ${place.role}`;
  if (place.in === 'user-info') return `${place.name} of an authority`;
  if (place.in === 'selector') return `${place.parameter} ${place.key}=`;
  return `${place.in}, ${place.api}, ${place.type}: ${place.path.join('.')}`;
}

/** How random strings look, with what tells them from everything else in a text. @param number below 2^32. */
export interface Look {
  readonly name: string;
  readonly make: (number: number) => string;
  readonly pattern: RegExp;
}

export const LOOKS: readonly Look[] = [
  { name: 'token', make: (number) => `zq${base(number, 36, 8)}x`, pattern: /zq[0-9a-z]{8}x/g },
  { name: 'password', make: (number) => `Zq${base(number, 36, 8)}x#9&k!`, pattern: /Zq[0-9a-z]{8}x/g },
  {
    name: 'uuid',
    make: (number) => `7a719d00-4b1e-4c77-8d5c-0000${base(number, 16, 8)}`,
    pattern: /7a719d00-4b1e-4c77-8d5c-0000[0-9a-f]{8}/g,
  },
  {
    name: 'hex',
    make: (number) => `7a719d004b1e4c778d5c${base(number, 16, 8)}`,
    pattern: /7a719d004b1e4c778d5c[0-9a-f]{8}/g,
  },
];

function base(number: number, radix: number, length: number): string {
  return number.toString(radix).padStart(length, '0');
}

/** In place of a number: one of ten digits. */
export const NUMBERS: Look = {
  name: 'number',
  make: (number) => `4${String(number % 1e9).padStart(9, '0')}`,
  pattern: /(?<![\d.])4\d{9}(?![\d.])/g,
};
