// Names what a packet without TCP carries, by EtherType, IP protocol or UDP port, and whether it can hide connections.

/** What packets without TCP are. */
export interface UnreadProtocol {
  /** `UDP port 51820 (WireGuard: …)`. */
  readonly name: string;
  /** It carries no connection in any network: losing it loses no message. */
  readonly isOrdinary: boolean;
}

/** @param port of the source. */
export function unreadUdp(port: number, destination: number): UnreadProtocol {
  const known = [destination, port].find((one) => ORDINARY_UDP.has(one) || TUNNELS_UDP.has(one));
  // Of two unknown ports the lower one is the server's.
  const shown = known ?? Math.min(port, destination);
  return named(`UDP port ${shown}`, ORDINARY_UDP.get(shown), TUNNELS_UDP.get(shown));
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
const TUNNELS_UDP = new Map([
  [443, 'QUIC'],
  [500, 'IKE'],
  [4500, 'IPsec: capture on the interface of the Pod or behind the gateway'],
  [37008, 'TZSP of a mirror'],
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
  [132, 'SCTP'],
]);
const ORDINARY_ETHERNET = new Map([
  [0x0806, 'ARP'],
  [0x88cc, 'LLDP'],
  [0x888e, 'EAPOL'],
  [0x8863, 'PPPoE discovery'],
  [0x8809, 'LACP'],
  [0x8035, 'RARP'],
]);
