// Takes the name of a connection in messages and notices apart.

/** @param connection `CLIENTIP:PORT-SERVERIP:PORT`; an IPv6 address has no brackets. @returns address and port. */
export function clientOf(connection: string): string {
  return connection.slice(0, connection.indexOf('-'));
}

/** Like `clientOf`. */
export function serverOf(connection: string): string {
  return connection.slice(connection.indexOf('-') + 1);
}

/** @param endpoint address and port. @returns the address. */
export function hostOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(':'));
}
