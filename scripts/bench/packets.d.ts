export function filtered(bytes: Uint8Array, isKept: (source: number, destination: number) => boolean): Uint8Array;
export function connectionsIn(bytes: Uint8Array): number;
