// Numbers of what an IP packet carries (IANA, Assigned Internet Protocol Numbers).

export const ICMP = 1;
export const IP_IN_IP = 4;
export const TCP = 6;
export const UDP = 17;
export const IPV6_IN_IP = 41;
export const GRE = 47;
export const ICMPV6 = 58;
