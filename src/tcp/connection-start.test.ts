import { describe, expect, it } from 'vitest';
import { isServer, SERVER_PORTS } from './connection-start.js';

const known = new Set(SERVER_PORTS);
const at = (port: number) => ({ address: '192.0.2.1', port });

describe('isServer', () => {
  it.each(SERVER_PORTS)('port %i is a server to an ephemeral port, from either side', (port) => {
    expect([isServer(at(port), at(45_678), known), isServer(at(45_678), at(port), known)]).toEqual([true, false]);
  });

  it('a known port wins over a lower one', () => expect(isServer(at(6443), at(1025), known)).toBe(true));
  it('of two known ports the lower one', () => expect(isServer(at(2379), at(6443), known)).toBe(true));
  it('of two unknown ports the lower one', () => expect(isServer(at(40_000), at(30_080), known)).toBe(false));
  it('of equal ports exactly the destination', () => expect(isServer(at(7000), at(7000), known)).toBe(false));
});
