// Applies a JSON patch (RFC 6902, with the pointers of RFC 6901).

/**
 * @param value plain JSON; it stays as it is. @param operations as a webhook answered them.
 * @returns the changed copy; null where an operation does not fit, as the whole patch is refused then.
 */
export function patched(value: unknown, operations: readonly unknown[]): unknown {
  let root = { '': structuredClone(value) } as Box;
  try {
    for (const operation of operations) root = applied(root, operation as Operation);
  } catch (error) {
    if (error instanceof Misfit) return null;
    throw error;
  }
  return root[''];
}

/** The whole document as a member, so that the empty pointer has a parent. */
type Box = Record<string, unknown>;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

class Misfit extends Error {}

function applied(root: Box, { op, path, from, value }: Operation): Box {
  switch (op) {
    case 'add':
      put(root, path, structuredClone(value), true);
      break;
    case 'replace':
      find(root, path);
      put(root, path, structuredClone(value), false);
      break;
    case 'remove':
      take(root, path);
      break;
    case 'move':
      put(root, path, take(root, textOf(from)), true);
      break;
    case 'copy':
      put(root, path, structuredClone(find(root, textOf(from))), true);
      break;
    // What it compares may not be shown; the API server has compared it.
    case 'test':
      break;
    default:
      throw new Misfit();
  }
  return root;
}

function find(root: Box, path: string): unknown {
  const [parent, token] = parentOf(root, path);
  return memberOf(parent, token);
}

function take(root: Box, path: string): unknown {
  const [parent, token] = parentOf(root, path);
  const value = memberOf(parent, token);
  if (Array.isArray(parent)) parent.splice(Number(token), 1);
  else delete (parent as Box)[token];
  return value;
}

/** @param inserts into a list, before the element of that number; else in place of it. */
function put(root: Box, path: string, value: unknown, inserts: boolean): void {
  const [parent, token] = parentOf(root, path);
  if (Array.isArray(parent)) {
    const index = token === '-' ? parent.length : indexOf(token);
    if (index > parent.length) throw new Misfit();
    parent.splice(index, inserts ? 0 : 1, value);
  } else if (typeof parent === 'object' && parent !== null) {
    // An own member, whatever its name.
    Object.defineProperty(parent, token, { value, writable: true, enumerable: true, configurable: true });
  } else throw new Misfit();
}

function parentOf(root: Box, path: string): readonly [unknown, string] {
  if (path === '') return [root, ''];
  if (!path.startsWith('/')) throw new Misfit();
  const tokens = path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const parent = tokens.slice(0, -1).reduce(memberOf, root['']);
  return [parent, tokens[tokens.length - 1]];
}

function memberOf(parent: unknown, token: string): unknown {
  if (Array.isArray(parent)) {
    const index = indexOf(token);
    if (index >= parent.length) throw new Misfit();
    return parent[index];
  }
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, token)) throw new Misfit();
  return (parent as Box)[token];
}

function indexOf(token: string): number {
  if (!INDEX.test(token)) throw new Misfit();
  return Number(token);
}

function textOf(from: string | undefined): string {
  if (typeof from !== 'string') throw new Misfit();
  return from;
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/;
