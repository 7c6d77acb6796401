// Tables that are asked with captured text. A plain object answers to `constructor` and `__proto__` too; these do not.

/** @param rows an object literal. @returns the same rows, and nothing else under any name. */
export function dictionary<T extends object>(rows: T): T {
  return Object.assign(Object.create(null) as object, rows) as T;
}
