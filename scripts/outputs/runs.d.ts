export const ROOT: string;
export function runsOf(fixture: string): { readonly name: string; readonly args: readonly string[] }[];
export function fixtureNames(): string[];
