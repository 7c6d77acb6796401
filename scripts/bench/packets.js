// Where the packets of a classic pcap stand, and which ports they go between. Knows Ethernet and cooked headers, IP without
// extension headers, TCP: as much as the fixtures hold.

/**
 * @typedef {object} Capture
 * @property {Uint8Array} bytes the whole file.
 * @property {DataView} view of them.
 * @property {boolean} little byte order of the headers.
 * @property {number} linkType
 * @property {number[]} packets offset of each packet's header.
 * @property {number} seconds from the first to the last packet, rounded up: the next copy begins after them.
 */

/** @param {Uint8Array} bytes classic pcap. @returns {Capture} */
export function captureOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = [0xa1b2c3d4, 0xa1b23c4d].includes(view.getUint32(0, true));
  const linkType = view.getUint32(20, little) & 0xffff;
  const packets = [];
  for (let at = FILE_HEADER; at + PACKET_HEADER <= bytes.length; at += PACKET_HEADER + view.getUint32(at + 8, little))
    packets.push(at);
  const seconds = view.getUint32(packets[packets.length - 1], little) - view.getUint32(packets[0], little) + 1;
  return { bytes, view, little, linkType, packets, seconds };
}

/**
 * @param {Uint8Array} bytes classic pcap.
 * @param {(source: number, destination: number) => boolean} isKept asked with the ports of each TCP packet; others are left
 *   out.
 * @returns {Uint8Array} classic pcap.
 */
export function filtered(bytes, isKept) {
  const capture = captureOf(bytes);
  const kept = capture.packets.filter((at) => {
    const tcp = tcpAt(capture, at);
    return tcp !== null && isKept(capture.view.getUint16(tcp, false), capture.view.getUint16(tcp + 2, false));
  });
  return Buffer.concat([
    bytes.subarray(0, FILE_HEADER),
    ...kept.map((at) => bytes.subarray(at, at + PACKET_HEADER + capture.view.getUint32(at + 8, capture.little))),
  ]);
}

/** @param {Capture} capture @returns {number} offset of a packet's IP header. */
export function ipAt(capture, /** @type {number} */ at) {
  return at + PACKET_HEADER + (LINK_HEADERS[capture.linkType] ?? LINK_HEADERS[1]);
}

/** @param {Capture} capture @returns {number | null} offset of a packet's TCP header. */
export function tcpAt(capture, /** @type {number} */ at) {
  const ip = ipAt(capture, at);
  const { bytes } = capture;
  if (bytes[ip] >> 4 === 4) return bytes[ip + 9] === TCP ? ip + (bytes[ip] & 0x0f) * 4 : null;
  return bytes[ip] >> 4 === 6 && bytes[ip + 6] === TCP ? ip + 40 : null;
}

/** Connections that begin in a capture; where it holds only what servers send, a SYN-ACK is all that is seen of one. */
export function connectionsIn(/** @type {Uint8Array} */ bytes) {
  const capture = captureOf(bytes);
  const count = (/** @type {number} */ flags) => capture.packets.filter((at) => flagsOf(capture, at) === flags).length;
  return count(SYN) || count(SYN | ACK);
}

/** SYN and ACK of a packet. */
function flagsOf(/** @type {Capture} */ capture, /** @type {number} */ at) {
  const tcp = tcpAt(capture, at);
  return tcp === null ? 0 : capture.bytes[tcp + 13] & (SYN | ACK);
}

export const SYN = 0x02;
export const ACK = 0x10;
export const FILE_HEADER = 24;
export const PACKET_HEADER = 16;
const TCP = 6;
/** Bytes before the IP header: Ethernet, LINUX_SLL, LINUX_SLL2. @type {Record<number, number>} */
const LINK_HEADERS = { 1: 14, 113: 16, 276: 20 };
