// Takes the name of a connection in messages and notices apart.

/** Of 16 bits (RFC 9293, section 3.1). */
export const LAST_PORT = 65_535;

/** @param connection `CLIENTIP:PORT-SERVERIP:PORT`; an IPv6 address has no brackets. @returns address and port. */
export function clientOf(connection: string): string {
  return connection.slice(0, connection.indexOf('-'));
}

/** Like `clientOf`. */
export function serverOf(connection: string): string {
  return connection.slice(connection.indexOf('-') + 1);
}

/** `etcd (192.0.2.10:2379)`; the name alone, where it has the address. */
export function withAddress(name: string, endpoint: string): string {
  const words = name.replace(/[[\]]/g, '').split(' ');
  return words.includes(hostOf(endpoint)) || words.includes(endpoint) ? name : `${name} (${endpoint})`;
}

/** @param endpoint address and port. @returns the address. */
export function hostOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(':'));
}
