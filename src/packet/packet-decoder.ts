// Decodes frames to TCP segments through link headers, VLAN tags, IP and tunnels. Checksums are only verified for fragments and on
// request, because offloading makes wrong ones normal.

import type { Frame } from '../capture/frame.js';
import { EMPTY_BYTES, latin1, u16be, u32be } from '../core/bytes/bytes.js';
import type { Notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { NOTHING, type Stage } from '../core/stage.js';
import { hasCorrectChecksum, isPlausibleSegment } from './checksum.js';
import { CutPackets } from './cut-packets.js';
import { DnsFailures } from './dns-failures.js';
import { FlowCache } from './flows.js';
import { Fragments } from './fragments.js';
import { extensionSize, FRAGMENT, GRE, ICMP, ICMPV6, IP_IN_IP, IPV6_IN_IP, ROUTING, TCP, UDP } from './ip-protocols.js';
import {
  CUT,
  IPV4,
  IPV6,
  type LinkPayload,
  OPENED,
  openEthernet,
  openLink,
  TRANSPARENT_ETHERNET,
  UNKNOWN_LINK,
  UNREAD,
} from './link.js';
import type { Segment } from './segment.js';
import { SockdumpPackets, USER0 } from './sockdump.js';
import { PacketTally } from './tally.js';
import { sackIn, timestampIn } from './tcp-options.js';
import { openGre, openUdpTunnel, openUnknownPort, TUNNEL_PORTS, type TunnelPorts, wrapsTcp } from './tunnels.js';
import { type Unreachable, unreachable } from './unreachable.js';
import { linkTypeName, type UnreadProtocol, unreadEtherType, unreadIpProtocol, unreadUdp } from './unread-protocols.js';

/**
 * In: frames of any link type. Out: at most one segment a frame, whose payload is a view of the bytes of the frame (or of
 * reassembled fragments; its origin is then the frame that completed them). Frames without TCP yield nothing. At the end: counts of
 * packets that were not read, or only in part (packet.malformed, packet.cut, packet.fragment-lost, packet.unknown-encapsulation,
 * packet.not-read, packet.other-protocol, dns.failed, capture.unknown-link, limit.depth, limit.fragments), each with its first frame. Never throws.
 * @param tunnels on ports of their own, beside the usual ones.
 */
export function packetDecoder(tunnels?: TunnelPorts): PacketDecoder {
  return new PacketDecoder(tunnels === undefined ? TUNNEL_PORTS : new Map([...TUNNEL_PORTS, ...tunnels]));
}

//   bytes   [ link | IP | … tunnels … | IP | TCP | payload …      | not captured ]
//                                                     captured end^   missing
export class PacketDecoder implements Stage<Frame, Segment | Notice> {
  /** The content of the latest frame if it was an ICMP message about a TCP packet. */
  unreachable: Unreachable | null = null;
  readonly #ipv4Flows = new FlowCache(4);
  readonly #ipv6Flows = new FlowCache(16);
  readonly #tally = new PacketTally();
  readonly #fragments = new Fragments(this.#tally);
  readonly #cuts = new CutPackets();
  readonly #dns = new DnsFailures();
  readonly #sockdump = new SockdumpPackets();
  readonly #link: LinkPayload = { etherType: 0, at: 0 };

  /** The current packet: its bytes, their end, and how many more bytes the innermost length declares. */
  #bytes = EMPTY_BYTES;
  /** The buffer of `#bytes`, cached because reading the property costs as much as making a view. */
  #buffer: ArrayBufferLike = EMPTY_BYTES.buffer;
  #end = 0;
  #missing = 0;
  /** Bytes of the frame in the capture, and whether the capture has fewer than there were. */
  #captured = 0;
  #wasCutByCapture = false;
  #hasSegments = false;
  #depth = 0;
  #origin: Origin = { capture: 0, frame: 0, time: 0n };
  /** The two addresses of the innermost IP header; for reassembled fragments they are not in `#bytes`. */
  #addresses = EMPTY_BYTES;
  #addressesAt = 0;
  /** The final destination, which checksums include, is in a routing header instead (RFC 8200, section 8.1). */
  #routed = false;
  #flows = this.#ipv4Flows;
  /** Identification of the innermost IPv4 header (RFC 6864: of each packet another, but a constant is usual for some); 0 for IPv6. */
  #identification = 0;
  #tcpAt = 0;
  readonly #tunnels: TunnelPorts;

  constructor(tunnels: TunnelPorts) {
    this.#tunnels = tunnels;
  }

  feed(frame: Frame): readonly Segment[] {
    const segment = this.read(frame);
    return segment === null ? NOTHING : [segment];
  }

  /** Like `feed`, without a list. */
  read(frame: Frame): Segment | null {
    const { within, start, end } = frame;
    if (within !== undefined && start !== undefined && end !== undefined) return this.#frame(frame, within, start, end);
    return this.#frame(frame, frame.data, 0, frame.data.length);
  }

  /** The latest segment was inside a tunnel. */
  get isTunnelled(): boolean {
    return this.#depth > 0;
  }

  /**
   * Of the packet of the latest segment: equal for all its copies, while one that is sent again nearly always has another. Hash of IP
   * identification and TCP timestamp.
   */
  get mark(): number {
    const b = this.#bytes;
    const end = Math.min(this.#tcpAt + (b[this.#tcpAt + 12] >> 4) * 4, this.#end);
    return (this.#identification ^ Math.imul(timestampIn(b, this.#tcpAt + 20, end), 0x9e3779b1)) >>> 0;
  }

  end(): readonly Notice[] {
    this.#fragments.end();
    if (!this.#hasSegments) this.#tally.recode('packet.other-protocol', 'packet.not-read');
    return [...this.#cuts.notices(), ...this.#tally.notices(), ...this.#dns.end()];
  }

  /** Whether the checksum of the latest segment is correct, or left to the network card; null if that is unknown. */
  isPlausible(): boolean | null {
    if (this.#missing > 0 || this.#routed) return null;
    const segment = this.#bytes.subarray(this.#tcpAt, this.#end);
    return isPlausibleSegment(segment, this.#addresses, this.#addressesAt, this.#flows.pairBytes);
  }

  #frame(frame: Frame, bytes: Uint8Array, at: number, end: number): Segment | null {
    this.#setBytes(bytes);
    this.#end = end;
    this.#missing = Math.max(0, frame.originalLength - (end - at));
    this.#captured = end - at;
    this.#wasCutByCapture = this.#missing > 0;
    this.#cuts.frames += 1;
    this.#depth = 0;
    this.#origin = frame.origin;
    if (this.unreachable !== null) this.unreachable = null;
    const opened = openLink(frame.linkType, bytes, at, end, this.#link);
    if (frame.linkType === USER0) return this.#ofSockdump(frame, at);
    if (opened === UNKNOWN_LINK) this.#tally.add('capture.unknown-link', linkTypeName(frame.linkType), frame.origin);
    if (opened === OPENED) return this.#network(this.#link.etherType, this.#link.at);
    return opened === CUT ? this.#malformed('link header') : null;
  }

  #ofSockdump({ linkType, origin }: Frame, at: number): Segment | null {
    const segment = this.#sockdump.read(this.#bytes, at, this.#end, this.#missing, origin);
    if (segment === null) this.#tally.add('capture.unknown-link', linkTypeName(linkType), origin);
    else {
      if (this.#missing > 0) this.#cut();
      this.#hasSegments = true;
      // There is no checksum.
      this.#routed = true;
    }
    return segment;
  }

  #setBytes(bytes: Uint8Array): void {
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#buffer = bytes.buffer;
  }

  #network(etherType: number, at: number): Segment | null {
    if (etherType === IPV4) return this.#ipv4(at);
    if (etherType === IPV6) return this.#ipv6(at);
    if (etherType !== TRANSPARENT_ETHERNET) return this.#unread(etherType, at);
    return this.#inner(openEthernet(this.#bytes, at, this.#end, this.#link), 'Ethernet header in a tunnel');
  }

  /** RFC 791. */
  #ipv4(at: number): Segment | null {
    const b = this.#bytes;
    if (at + 20 > this.#end) return this.#malformed('IPv4 header');
    const headerLength = (b[at] & 0x0f) * 4;
    // 0: a segment larger than the field allows, from offloading in the network card.
    const length = u16be(b, at + 2) || this.#end + this.#missing - at;
    if (b[at] >> 4 !== 4 || headerLength < 20 || length < headerLength) return this.#malformed('IPv4 header');
    this.#limit(at + length);
    const start = at + headerLength;
    if (start > this.#end) return this.#malformed('IPv4 options');
    this.#addresses = b;
    this.#addressesAt = at + 12;
    this.#flows = this.#ipv4Flows;
    this.#identification = u16be(b, at + 4);
    this.#routed = false;
    const protocol = b[at + 9];
    const fragment = u16be(b, at + 6) & 0x3fff;
    if (fragment === 0) return this.#transport(protocol, start);
    const key = `${latin1(b, at + 12, at + 20)}${protocol} ${u16be(b, at + 4)}`;
    return this.#fragment(key, protocol, start, (fragment & 0x1fff) * 8, (fragment & 0x2000) !== 0);
  }

  /** RFC 8200. */
  #ipv6(at: number): Segment | null {
    const b = this.#bytes;
    if (at + 40 > this.#end || b[at] >> 4 !== 6) return this.#malformed('IPv6 header');
    const length = u16be(b, at + 4);
    // 0: a jumbogram (RFC 2675), as Linux captures BIG TCP; the length of the frame is the same.
    if (length !== 0) this.#limit(at + 40 + length);
    this.#addresses = b;
    this.#addressesAt = at + 8;
    this.#flows = this.#ipv6Flows;
    this.#identification = 0;
    this.#routed = false;
    return this.#ipv6Headers(b[at + 6], at + 40, false);
  }

  /**
   * Reads the extension headers from `start` on, the first of type `next`, and the payload after them.
   * @param isWhole true for reassembled fragments, in which there must be no fragments.
   */
  #ipv6Headers(next: number, start: number, isWhole: boolean): Segment | null {
    const b = this.#bytes;
    for (;;) {
      if (start > this.#end) return this.#malformed('IPv6 extension header');
      const size = extensionSize(next, b[start + 1]);
      if (size === 0) return this.#transport(next, start);
      if (start + 8 > this.#end) return this.#malformed('IPv6 extension header');
      if (next === ROUTING) this.#routed = true;
      if (next === FRAGMENT) {
        const place = u16be(b, start + 2);
        const [offset, more] = [place & 0xfff8, (place & 1) === 1];
        // Otherwise it is an atomic fragment (RFC 6946), a whole packet.
        if (offset !== 0 || more) {
          if (isWhole) return this.#malformed('IP fragment');
          const key = `${latin1(this.#addresses, this.#addressesAt, this.#addressesAt + 32)}${u32be(b, start + 4)}`;
          return this.#fragment(key, b[start], start + 8, offset, more);
        }
      }
      next = b[start];
      start += size;
    }
  }

  #fragment(key: string, protocol: number, start: number, offset: number, more: boolean): Segment | null {
    const length = this.#end - start;
    if (this.#missing > 0) {
      this.#tally.add('packet.fragment-lost', 'fragments that were cut', this.#origin);
      return null;
    }
    if (length === 0 || (more && length % 8 !== 0) || offset + length > IP_BYTES) return this.#malformed('IP fragment');
    const isSound = (bytes: Uint8Array): boolean =>
      this.#routed || hasCorrectChecksum(bytes, protocol, this.#addresses, this.#addressesAt, this.#flows.pairBytes);
    const whole = this.#fragments.add(key, this.#bytes, start, this.#end, offset, more, this.#origin, isSound);
    if (whole === null) return null;
    this.#setBytes(whole);
    this.#end = whole.length;
    // The fragmentable part of an IPv6 packet may begin with further extension headers (RFC 8200, section 4.5).
    return this.#flows === this.#ipv6Flows ? this.#ipv6Headers(protocol, 0, true) : this.#transport(protocol, 0);
  }

  #transport(protocol: number, at: number): Segment | null {
    switch (protocol) {
      case TCP:
        return this.#tcp(at);
      case UDP:
        return this.#udp(at);
      case ICMP:
      case ICMPV6:
        return this.#icmp(protocol, at);
      case GRE:
        return this.#inner(openGre(this.#bytes, at, this.#end, this.#link), 'GRE header', unreadIpProtocol(GRE));
      case IP_IN_IP:
        return this.#innerIp(IPV4, at);
      case IPV6_IN_IP:
        return this.#innerIp(IPV6, at);
      default:
        return this.#wrapped(unreadIpProtocol(protocol), at);
    }
  }

  #icmp(protocol: number, at: number): null {
    const version = protocol === ICMP ? 4 : 6;
    this.unreachable = unreachable(version, this.#bytes, at, this.#end, this.#flows, this.#origin);
    return this.unreachable === null ? this.#notRead(unreadIpProtocol(protocol)) : null;
  }

  #udp(at: number): Segment | null {
    if (at + 8 > this.#end) return this.#malformed('UDP header');
    const port = u16be(this.#bytes, at + 2);
    if (port === DNS || u16be(this.#bytes, at) === DNS) {
      const { source, destination } = this.#flows.find(this.#addresses, this.#addressesAt, this.#bytes, at);
      this.#dns.read(source, destination, this.#bytes, at + 8, this.#end, this.#origin);
    }
    const unread = unreadUdp(u16be(this.#bytes, at), port, this.#bytes, at + 8, this.#end + this.#missing);
    const tunnel = this.#tunnels.get(port);
    const opened =
      tunnel === undefined
        ? openUnknownPort(this.#bytes, at + 8, this.#end, this.#link)
        : openUdpTunnel(tunnel, this.#bytes, at + 8, this.#end, this.#link);
    if (tunnel === undefined && opened !== OPENED) return this.#wrapped(unread, at + 8);
    return this.#inner(opened, 'VXLAN or Geneve header', unread);
  }

  #innerIp(etherType: number, at: number): Segment | null {
    this.#link.etherType = etherType;
    this.#link.at = at;
    return this.#inner(OPENED, '');
  }

  /** Continues with the payload of a tunnel, whose header was just read into #link. @param unread what it is if it is no tunnel. */
  #inner(opened: number, what: string, unread: UnreadProtocol = unreadEtherType(0)): Segment | null {
    if (opened === CUT) return this.#malformed(what);
    if (opened !== OPENED) return this.#notRead(unread);
    this.#depth += 1;
    if (this.#depth <= TUNNEL_DEPTH) return this.#network(this.#link.etherType, this.#link.at);
    this.#tally.add('limit.depth', `more than ${TUNNEL_DEPTH} tunnel headers in each other`, this.#origin);
    return null;
  }

  /** RFC 9293 section 3.1. The first 14 bytes are sufficient, so a short snap length does no harm. */
  #tcp(at: number): Segment | null {
    const b = this.#bytes;
    if (at + 14 > this.#end) return this.#malformed('TCP header');
    const start = at + (b[at + 12] >> 4) * 4;
    const declaredEnd = this.#end + this.#missing;
    this.#tcpAt = at;
    if (start < at + 20 || start > declaredEnd) return this.#malformed('TCP header');
    const length = this.#end - start;
    if (this.#missing > 0) this.#cut();
    this.#hasSegments = true;
    return {
      kind: 'segment',
      origin: this.#origin,
      flow: this.#flows.find(this.#addresses, this.#addressesAt, b, at),
      seq: u32be(b, at + 4),
      ack: u32be(b, at + 8),
      flags: b[at + 13] & FLAGS,
      payload: length > 0 ? new Uint8Array(this.#buffer, b.byteOffset + start, length) : EMPTY_BYTES,
      missing: length > 0 ? this.#missing : declaredEnd - start,
      window: at + 16 <= this.#end ? u16be(b, at + 14) : undefined,
      sack: start <= this.#end ? sackIn(b, at + 20, start) : undefined,
    };
  }

  /**
   * Ends the packet where its IP header ends it (RFC 791); padding follows. The frame length is too short if a tap, a mirror or
   * `editcap -L` cut the packet and wrote the cut length as the original one.
   */
  #limit(stop: number): void {
    this.#end = Math.min(this.#end, stop);
    this.#missing = stop - this.#end;
  }

  #unread(etherType: number, at: number): null {
    const what = UNREAD.get(etherType);
    if (what !== undefined) this.#tally.add('packet.unknown-encapsulation', what, this.#origin);
    else this.#wrapped(unreadEtherType(etherType), at);
    return null;
  }

  /** Behind a header that is not read, TCP may follow. */
  #wrapped(unread: UnreadProtocol, at: number): null {
    if (!wrapsTcp(this.#bytes, at, this.#end)) return this.#notRead(unread);
    this.#tally.add('packet.unknown-encapsulation', `TCP behind ${unread.name}`, this.#origin);
    return null;
  }

  #notRead({ name, isOrdinary }: UnreadProtocol): null {
    this.#tally.add(isOrdinary ? 'packet.other-protocol' : 'packet.not-read', name, this.#origin);
    return null;
  }

  #malformed(what: string): null {
    if (this.#missing > 0) this.#cut();
    this.#tally.add('packet.malformed', this.#missing > 0 ? 'headers that were cut' : what, this.#origin);
    return null;
  }

  #cut(): void {
    this.#cuts.add(this.#wasCutByCapture, this.#captured, this.#origin);
  }
}

const DNS = 53;
/** FIN, SYN, RST, PSH, ACK. */
const FLAGS = 0x1f;
/** The largest value of the IP length field. */
const IP_BYTES = 65_535;
/** Limit: nested tunnel headers: overlay in overlay has two or three (inner Ethernet is one); Suricata stops at 16 of all kinds. */
const TUNNEL_DEPTH = 8;
