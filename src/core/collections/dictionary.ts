// Makes tables that are safe to look captured text up in: a plain object has `constructor` and `__proto__` too.

/** @returns the same rows without a prototype. */
export function dictionary<T extends object>(rows: T): T {
  return Object.assign(Object.create(null) as object, rows) as T;
}
