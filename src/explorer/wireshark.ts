// Makes display filters for Wireshark and tshark (wireshark-filter(4)) that lead from an arrow to its packets.

export interface DisplayFilter {
  readonly name: string;
  readonly filter: string;
}

export interface FilterTarget {
  /** `CLIENTIP:PORT-SERVERIP:PORT`, IPv6 without brackets. */
  readonly connection: string;
  readonly stream: number | null;
  readonly frames: readonly [first: number, last: number];
}

/** Filters for the frames of a message, its HTTP/2 stream if it has one, and its connection. */
export function displayFilters({ connection, stream, frames }: FilterTarget): DisplayFilter[] {
  const ends = endsOf(connection);
  const [first, last] = frames;
  if (ends === null) return [{ name: 'Frames', filter: framesBetween(first, last) }];
  const out = [{ name: 'Frames of this message', filter: `${framesBetween(first, last)} && ${ends}` }];
  if (stream !== null) out.push({ name: 'HTTP/2 stream', filter: `http2.streamid == ${stream} && ${ends}` });
  out.push({ name: 'Connection', filter: ends });
  return out;
}

function framesBetween(first: number, last: number): string {
  return first === last ? `frame.number == ${first}` : `frame.number >= ${first} && frame.number <= ${last}`;
}

/** null if the text is no connection: the page's data is untrusted. */
function endsOf(connection: string): string | null {
  const match = /^([0-9a-f.:]+):(\d{1,5})-([0-9a-f.:]+):(\d{1,5})$/.exec(connection);
  if (match === null) return null;
  const [, client, clientPort, server, serverPort] = match;
  const field = client.includes(':') ? 'ipv6.addr' : 'ip.addr';
  return [
    ...new Set([
      `${field} == ${client}`,
      `${field} == ${server}`,
      `tcp.port == ${clientPort}`,
      `tcp.port == ${serverPort}`,
    ]),
  ].join(' && ');
}
