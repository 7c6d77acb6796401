// Which addresses a host gives to itself alone. Knows texts of addresses.

/** @param address IPv4 dotted, IPv6 as RFC 5952 has it. 127.0.0.0/8 (RFC 1122, 3.2.1.3) and ::1 (RFC 4291, 2.5.3). */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
