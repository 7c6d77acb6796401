// The name of a connection, as messages and notices have it: whose end is where. Knows text; an IPv6 address has no brackets in it.

/** @param connection `CLIENTIP:PORT-SERVERIP:PORT`. @returns address and port. */
export function clientOf(connection: string): string {
  return connection.slice(0, connection.indexOf('-'));
}

/** As `clientOf`. */
export function serverOf(connection: string): string {
  return connection.slice(connection.indexOf('-') + 1);
}

/** The address alone. @param endpoint address and port. */
export function hostOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(':'));
}
