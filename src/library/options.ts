// Refuses options that a function does not have: a mistyped one would silently change nothing.

/**
 * @param names of all options that there are.
 * @throws TypeError for another one, with those that there are.
 */
export function refuseUnknown(what: string, options: object, names: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined)
    throw new TypeError(`${what}: there is no option ${unknown}; there are ${Object.keys(names).join(', ')}`);
}
