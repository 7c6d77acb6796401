// Names what a packet without TCP carries, by EtherType, IP protocol or UDP port, and whether it can hide connections.

/** What packets without TCP are. */
export interface UnreadProtocol {
  /** `UDP port 51820 (WireGuard: …)`. */
  readonly name: string;
  /** It carries no connection in any network: losing it loses no message. */
  readonly isOrdinary: boolean;
}

/** @param port of the source. @param end of the datagram, beyond its bytes where it was cut. */
export function unreadUdp(port: number, destination: number, b: Uint8Array, at: number, end: number): UnreadProtocol {
  const known = [destination, port].find((one) => ORDINARY_UDP.has(one) || TUNNELS_UDP.has(one));
  // Of two unknown ports the lower one is the server's.
  const shown = known ?? Math.min(port, destination);
  const tunnel = TUNNELS_UDP.get(shown) ?? (known === undefined && isWireGuard(b, at, end) ? WIREGUARD : undefined);
  return named(`UDP port ${shown}`, ORDINARY_UDP.get(shown), tunnel);
}

/** Type, three zeros; messages 1 to 3 have one length each, data comes in blocks of 16 bytes (wireguard.com/protocol). */
function isWireGuard(b: Uint8Array, at: number, end: number): boolean {
  const length = end - at;
  if (at + 4 > b.length || b[at + 1] !== 0 || b[at + 2] !== 0 || b[at + 3] !== 0) return false;
  return WIREGUARD_LENGTHS[b[at]] === length || (b[at] === 4 && length >= 32 && length % 16 === 0);
}

/** `link type 127 (802.11: capture …)`; the number alone, where there is nothing to say. */
export function linkTypeName(linkType: number): string {
  return named(`link type ${linkType}`, undefined, LINKS.get(linkType)).name;
}

export function unreadIpProtocol(protocol: number): UnreadProtocol {
  return named(`IP protocol ${protocol}`, ORDINARY_IP.get(protocol), TUNNELS_IP.get(protocol));
}

/** @param etherType 0: the frame has none. */
export function unreadEtherType(etherType: number): UnreadProtocol {
  if (etherType === 0) return { name: 'control frames of the link', isOrdinary: true };
  return named(`EtherType 0x${etherType.toString(16).padStart(4, '0')}`, ORDINARY_ETHERNET.get(etherType), undefined);
}

function named(number: string, ordinary: string | undefined, tunnel: string | undefined): UnreadProtocol {
  const words = ordinary ?? tunnel;
  return { name: words === undefined ? number : `${number} (${words})`, isOrdinary: ordinary !== undefined };
}

// Numbers: IANA (Service Names and Port Numbers, Protocol Numbers), IEEE (EtherTypes); the programs' own defaults for tunnels.

const ORDINARY_UDP = new Map([
  [53, 'DNS'],
  [67, 'DHCP'],
  [68, 'DHCP'],
  [123, 'NTP'],
  [137, 'NetBIOS'],
  [138, 'NetBIOS'],
  [161, 'SNMP'],
  [514, 'syslog'],
  [546, 'DHCPv6'],
  [547, 'DHCPv6'],
  [1900, 'SSDP'],
  [3784, 'BFD'],
  [5353, 'mDNS'],
  [5355, 'LLMNR'],
]);
const WIREGUARD = 'WireGuard: capture on the interface of the Pod, or on that of WireGuard';
/** By type: initiation, response, cookie. */
const WIREGUARD_LENGTHS = [-1, 148, 92, 64];
const UNWRAPPED = 'capture where it is unwrapped';
const TUNNELS_UDP = new Map([
  [443, 'QUIC'],
  [500, 'IKE'],
  [1194, 'OpenVPN: capture on its tun interface'],
  [1701, `L2TP: ${UNWRAPPED}`],
  [2152, `GTP: ${UNWRAPPED}`],
  [4500, 'IPsec: capture on the interface of the Pod or behind the gateway'],
  [4754, `GRE in UDP: ${UNWRAPPED}`],
  [4790, `VXLAN-GPE: ${UNWRAPPED}`],
  [5555, `IP in UDP (foo over UDP): ${UNWRAPPED}`],
  [6080, `generic UDP encapsulation: ${UNWRAPPED}`],
  [6635, `MPLS in UDP: ${UNWRAPPED}`],
  [37008, 'TZSP of a mirror'],
  [41641, 'WireGuard of Tailscale: capture on its interface'],
  // wireguard-tools and Flannel, Calico's for IPv6, Cilium.
  [51820, WIREGUARD],
  [51821, WIREGUARD],
  [51871, WIREGUARD],
]);
const ORDINARY_IP = new Map([
  [1, 'ICMP'],
  [2, 'IGMP'],
  [58, 'ICMPv6'],
  [89, 'OSPF'],
  [103, 'PIM'],
  [112, 'VRRP'],
]);
const TUNNELS_IP = new Map([
  [47, 'GRE'],
  [50, 'IPsec ESP: capture on the interface of the Pod or behind the gateway'],
  [51, `IPsec AH: ${UNWRAPPED}`],
  [55, `minimal IP in IP: ${UNWRAPPED}`],
  [94, `IP in IP of KA9Q: ${UNWRAPPED}`],
  [97, `Ethernet in IP: ${UNWRAPPED}`],
  [98, `IP in an encapsulation header: ${UNWRAPPED}`],
  [108, `compressed IP: ${UNWRAPPED}`],
  [115, `L2TP: ${UNWRAPPED}`],
  [132, 'SCTP'],
  [137, `MPLS in IP: ${UNWRAPPED}`],
]);
const ORDINARY_ETHERNET = new Map([
  [0x0806, 'ARP'],
  [0x88cc, 'LLDP'],
  [0x888e, 'EAPOL'],
  [0x8863, 'PPPoE discovery'],
  [0x8809, 'LACP'],
  [0x8035, 'RARP'],
]);

/** Link types that are not read (tcpdump.org/linktypes.html): what they are, and what to capture instead. */
const MONITOR = '802.11: capture without monitor mode, or on the wired side';
const NO_NETWORK = 'no packets of a network: capture on an interface that has an IP address';
const LINKS = new Map([
  [105, MONITOR],
  [119, MONITOR],
  [127, MONITOR],
  [163, MONITOR],
  [192, MONITOR],
  [122, 'IP over Fibre Channel: capture on the host behind'],
  [187, `Bluetooth, ${NO_NETWORK}`],
  [201, `Bluetooth, ${NO_NETWORK}`],
  [189, `USB, ${NO_NETWORK}`],
  [220, `USB, ${NO_NETWORK}`],
  [249, `USB, ${NO_NETWORK}`],
  [227, `CAN bus, ${NO_NETWORK}`],
  [253, `netlink of the kernel, ${NO_NETWORK}`],
  [252, 'what Wireshark exported of a dissector: export packets instead (File, Export Specified Packets)'],
  [271, 'vsock of virtual machines: capture in the machine'],
]);
