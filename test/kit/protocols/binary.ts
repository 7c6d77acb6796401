// Conversations of networks, plants, files, telephones and screens: binary protocols.

import {
  client,
  counted,
  f32,
  hex,
  join,
  le16,
  le32,
  le64,
  noise,
  type Part,
  type Spoken,
  s8,
  s16,
  s32,
  server,
  times,
  tlv,
  u8,
  u16,
  u24,
  u32,
  u64,
  zeros,
} from './kit.js';

// ── plants ──

/** Modbus/TCP: read holding registers, write one. The transaction counts, or stays 0 as cheap masters have it. */
const modbus = (name: string, transaction: (i: number) => number): Spoken => ({
  name,
  port: 502,
  turns: times(16, (i) => [
    client(u16(transaction(i)), u16(0), s16(u8(1, 3), u16(0), u16(10))),
    server(u16(transaction(i)), u16(0), s16(u8(1, 3), s8(zeros(18), u16(i)))),
    client(u16(transaction(i)), u16(0), s16(u8(1, 6), u16(1), u16(i))),
    server(u16(transaction(i)), u16(0), s16(u8(1, 6), u16(1), u16(i))),
  ]),
});

/** S7comm in COTP in TPKT: read variables. */
const s7: Spoken = {
  name: 'S7comm',
  port: 102,
  turns: times(12, (i) => [
    client(
      tpkt(hex('02f080'), hex('32010000'), u16(i), hex('000e0000 0401120a1002001 40001 84000000'.replace(/\s/g, ''))),
    ),
    server(tpkt(hex('02f080'), hex('32030000'), u16(i), hex('000200180000 0401ff0400a0'), zeros(20))),
  ]),
};

function tpkt(...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(u8(3, 0), u16(body.length + 4), body);
}

/** IEC 60870-5-104: measured values, S frames, test frames. */
const iec104: Spoken = {
  name: 'IEC 104',
  port: 2404,
  turns: times(12, (i) => [
    server(u8(0x68), s8(le16(i * 2), le16(0), u8(13, 1, 3, 0), le16(1), u8(1, 0, 0), f32(i), u8(0))),
    client(u8(0x68, 4, 1, 0), le16(i * 2 + 2)),
    client(u8(0x68, 4, 0x43, 0, 0, 0)),
    server(u8(0x68, 4, 0x83, 0, 0, 0)),
  ]),
};

/** DNP3: link headers with CRCs, read of class objects. */
const dnp3: Spoken = {
  name: 'DNP3',
  port: 20_000,
  turns: times(12, (i) => [
    client(hex('0564 0b c4 0a00 0100'), noise(2, i), u8(0xc0 | (i & 15), 0xc0 | (i & 15), 1, 60, 2, 6), noise(2, i)),
    server(hex('0564 14 44 0100 0a00'), noise(2, i), u8(0xc0, 0xc0, 0x81, 0, 0, 30, 1, 0, 0, 0), zeros(5), noise(2, i)),
  ]),
};

/** OPC UA's binary protocol: MSG chunks of a read. */
const opcua: Spoken = {
  name: 'OPC UA',
  port: 4840,
  turns: times(12, (i) => [
    client(
      opcMessage(
        le32(1),
        le32(1),
        le32(i),
        le32(i),
        u8(1, 0),
        le16(631),
        zeros(20),
        le32(1),
        u8(0, 85),
        le32(13),
        zeros(12),
      ),
    ),
    server(
      opcMessage(
        le32(1),
        le32(1),
        le32(i),
        le32(i),
        u8(1, 0),
        le16(634),
        le64(133_000_000),
        le32(0),
        zeros(20),
        u8(9, 11),
        le32(i),
      ),
    ),
  ]),
};

function opcMessage(...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join('MSGF', le32(body.length + 8), body);
}

/** EtherNet/IP: SendRRData with CIP. */
const enip: Spoken = {
  name: 'EtherNet/IP',
  port: 44_818,
  turns: times(12, (i) => [
    client(
      eip(
        0x6f,
        le32(0),
        le16(0),
        le16(2),
        le16(0),
        le16(0),
        le16(0xb2),
        le16(8),
        u8(0x0e, 3, 0x20, 1, 0x24, 1, 0x30, i),
      ),
    ),
    server(eip(0x6f, le32(0), le16(0), le16(2), le16(0), le16(0), le16(0xb2), le16(6), u8(0x8e, 0, 0, 0), le16(i))),
  ]),
};

function eip(command: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(le16(command), le16(body.length), le32(1), le32(0), zeros(8), le32(0), body);
}

/** BACnet/SC-like length-prefixed small frames are not usual; FINS/TCP of Omron is. */
const fins: Spoken = {
  name: 'FINS/TCP',
  port: 9600,
  turns: times(12, (i) => [
    client('FINS', s32(u32(2), u32(0), hex('80000200010000ef00'), u8(i), hex('0101820064000001'))),
    server('FINS', s32(u32(2), u32(0), hex('c0000200ef00000100'), u8(i), hex('01010000'), u16(i))),
  ]),
};

// ── networks ──

/** DNS over TCP: queries and answers behind a length of two bytes (RFC 1035, 4.2.2). */
const dns: Spoken = {
  name: 'DNS over TCP',
  port: 53,
  turns: times(16, (i) => [
    client(
      s16(u16(i * 7), u16(0x0100), u16(1), zeros(6), s8('kubernetes'), s8('default'), s8('svc'), u8(0), u16(1), u16(1)),
    ),
    server(
      s16(
        u16(i * 7),
        u16(0x8180),
        u16(1),
        u16(1),
        zeros(4),
        s8('kubernetes'),
        s8('default'),
        s8('svc'),
        u8(0),
        u16(1),
        u16(1),
        hex('c00c'),
        u16(1),
        u16(1),
        u32(30),
        s16(u8(10, 96, 0, 1)),
      ),
    ),
  ]),
};

/** BGP: keepalives and updates. */
const bgp: Spoken = {
  name: 'BGP',
  port: 179,
  turns: times(12, (i) => [
    client(bgpMessage(4)),
    server(bgpMessage(4)),
    server(bgpMessage(2, u16(0), s16(hex('400101004002004003040a000001'), hex('400504'), u32(100)), u8(24, 10, i, 0))),
  ]),
};

function bgpMessage(type: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(new Uint8Array(16).fill(0xff), u16(body.length + 19), u8(type), body);
}

/** LDP: keepalives and label mappings. */
const ldp: Spoken = {
  name: 'LDP',
  port: 646,
  turns: times(12, (i) => [
    client(ldpMessage(u16(0x0201), s16(u32(i)))),
    server(
      ldpMessage(u16(0x0400), s16(u32(i), u16(0x0100), s16(u8(2, 0, 1, 24, 10, i, 0)), u16(0x0200), s16(u32(16 + i)))),
    ),
  ]),
};

function ldpMessage(...parts: Part[]): Uint8Array {
  return join(u16(1), s16(u8(10, 0, 0, 1), u16(0), ...parts));
}

/** OpenFlow 1.3: echo, packet-in, flow-mod. */
const openflow: Spoken = {
  name: 'OpenFlow',
  port: 6653,
  turns: times(12, (i) => [
    client(of(2, i)),
    server(of(3, i)),
    client(
      of(
        10,
        0,
        u32(0xffffffff),
        u16(42),
        u8(0, 0),
        u64(0),
        hex('0001000c80000004 00000001 00000000'),
        zeros(2),
        noise(42, i),
      ),
    ),
    server(
      of(
        14,
        i,
        u64(0),
        u64(0),
        u8(0, 0),
        u16(10),
        u16(0),
        u16(1),
        u32(0xffffffff),
        u32(1),
        u32(0),
        u16(0),
        zeros(2),
        hex('0001000400000000'),
      ),
    ),
  ]),
};

function of(type: number, id: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(u8(4, type), u16(body.length + 8), u32(id), body);
}

/** LDAP: searches and their results. */
const ldap: Spoken = {
  name: 'LDAP',
  port: 389,
  turns: times(12, (i) => [
    client(
      tlv(
        0x30,
        tlv(2, u8(i + 1)),
        tlv(
          0x63,
          tlv(4, 'dc=example,dc=com'),
          tlv(10, u8(2)),
          tlv(10, u8(0)),
          tlv(2, u8(0)),
          tlv(2, u8(0)),
          tlv(1, u8(0)),
          tlv(0xa3, tlv(4, 'uid'), tlv(4, 'alice')),
          tlv(0x30),
        ),
      ),
    ),
    server(
      tlv(
        0x30,
        tlv(2, u8(i + 1)),
        tlv(
          0x64,
          tlv(4, 'uid=alice,dc=example,dc=com'),
          tlv(0x30, tlv(0x30, tlv(4, 'cn'), tlv(0x31, tlv(4, 'Alice')))),
        ),
      ),
      tlv(0x30, tlv(2, u8(i + 1)), tlv(0x65, tlv(10, u8(0)), tlv(4), tlv(4))),
    ),
  ]),
};

/** Kerberos over TCP: a length of four bytes before BER. */
const kerberos: Spoken = {
  name: 'Kerberos',
  port: 88,
  turns: times(10, (i) => [
    client(s32(tlv(0x6a, tlv(0x30, tlv(0xa1, tlv(2, u8(5))), tlv(0xa2, tlv(2, u8(10))), tlv(0xa4, noise(60, i)))))),
    server(s32(tlv(0x6b, tlv(0x30, tlv(0xa0, tlv(2, u8(5))), tlv(0xa6, noise(90, i)))))),
  ]),
};

/** Diameter: device watchdogs and credit control. */
const diameter: Spoken = {
  name: 'Diameter',
  port: 3868,
  turns: times(12, (i) => [
    client(dia(0x80, 280, 0, i, avp(264, 'client.example'), avp(296, 'example'))),
    server(dia(0, 280, 0, i, avp(268, u32(2001)), avp(264, 'server.example'), avp(296, 'example'))),
    client(dia(0xc0, 272, 4, i, avp(263, `session;${i}`), avp(415, u32(i)), avp(416, u32(1)))),
    server(dia(0x40, 272, 4, i, avp(263, `session;${i}`), avp(268, u32(2001)), avp(415, u32(i)))),
  ]),
};

function dia(flags: number, code: number, application: number, id: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(u8(1), u24(body.length + 20), u8(flags), u24(code), u32(application), u32(id), u32(id), body);
}

function avp(code: number, value: Part): Uint8Array {
  const body = join(value);
  return join(u32(code), u8(0x40), u24(body.length + 8), body, zeros((4 - (body.length % 4)) % 4));
}

/** SMPP: submit_sm, enquire_link. */
const smpp: Spoken = {
  name: 'SMPP',
  port: 2775,
  turns: times(12, (i) => [
    client(
      smppPdu(
        4,
        0,
        i + 1,
        '\0',
        u8(1, 1),
        '12345\0',
        u8(1, 1),
        '67890\0',
        u8(0, 0, 0),
        '\0\0',
        u8(1, 0, 0, 0),
        s8('hello'),
      ),
    ),
    server(smppPdu(0x80000004, 0, i + 1, `id${i}\0`)),
    client(smppPdu(0x15, 0, i + 100)),
    server(smppPdu(0x80000015, 0, i + 100)),
  ]),
};

function smppPdu(command: number, status: number, sequence: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(u32(body.length + 16), u32(command), u32(status), u32(sequence), body);
}

// ── files ──

/** SMB2 in NetBIOS session messages: reads, echoes. */
const smb: Spoken = {
  name: 'SMB2',
  port: 445,
  turns: times(12, (i) => [
    client(u8(0), counted(u24, smb2(8, 0, i), le16(49), u8(0x50, 0), le32(4096), le64(0), zeros(32))),
    server(u8(0), counted(u24, smb2(8, 1, i), le16(17), u8(0x50, 0), le32(64), zeros(8), zeros(64))),
    client(u8(0), counted(u24, smb2(13, 0, i + 100), le16(4), le16(0))),
    server(u8(0), counted(u24, smb2(13, 1, i + 100), le16(4), le16(0))),
  ]),
};

function smb2(command: number, flags: number, id: number): Uint8Array {
  return join(
    hex('fe534d42'),
    le16(64),
    le16(1),
    le32(0),
    le16(command),
    le16(1),
    le32(flags),
    le32(0),
    le64(id),
    le32(0xfeff),
    le32(5),
    le64(0x4000),
    zeros(16),
  );
}

/** SMB1: echo, read. */
const smb1: Spoken = {
  name: 'SMB1',
  port: 139,
  turns: times(12, (i) => [
    client(
      u8(0),
      counted(
        u24,
        hex('ff534d42 2e 00000000 18 0148'),
        zeros(12),
        le16(1),
        le16(2),
        le16(3),
        le16(i),
        u8(10, 0xff, 0),
        zeros(18),
        le16(0),
      ),
    ),
    server(
      u8(0),
      counted(
        u24,
        hex('ff534d42 2e 00000000 98 0148'),
        zeros(12),
        le16(1),
        le16(2),
        le16(3),
        le16(i),
        u8(12, 0xff, 0),
        zeros(22),
        le16(60),
        zeros(60),
      ),
    ),
  ]),
};

/** NFS 3 in ONC RPC with record marking (RFC 5531, section 11): NULL, GETATTR, READ of zeros. */
const nfs: Spoken = {
  name: 'NFS',
  port: 2049,
  turns: times(12, (i) => [
    client(
      rpcRecord(
        u32(i),
        u32(0),
        u32(2),
        u32(100_003),
        u32(3),
        u32(6),
        u32(1),
        s32(u32(9), s32('host'), zeros(12)),
        u64(0),
        s32(noise(28, 3)),
        u64(0),
        u32(512),
      ),
    ),
    server(
      rpcRecord(
        u32(i),
        u32(1),
        u32(0),
        u64(0),
        u32(0),
        u32(0),
        u32(1),
        u32(1),
        u32(0o644),
        u32(1),
        u64(0),
        u64(512),
        u64(512),
        zeros(40),
        u32(512),
        u32(1),
        s32(zeros(512)),
      ),
    ),
    client(rpcRecord(u32(1000 + i), u32(0), u32(2), u32(100_003), u32(3), u32(0), u64(0), u64(0))),
    server(rpcRecord(u32(1000 + i), u32(1), u32(0), u64(0), u32(0))),
  ]),
};

function rpcRecord(...parts: Part[]): Uint8Array {
  return counted((length) => u32(0x80000000 | length), ...parts);
}

/** iSCSI: SCSI commands, data of zeros, NOPs (RFC 7143). */
const iscsi: Spoken = {
  name: 'iSCSI',
  port: 3260,
  turns: times(12, (i) => [
    client(
      u8(1, 0xc1),
      zeros(2),
      u32(0),
      u64(0),
      u32(i),
      u32(512),
      u32(i),
      u32(i),
      hex('28000000000000000100'),
      zeros(6),
    ),
    server(
      u8(0x25, 0x81),
      zeros(2),
      u8(0),
      u24(512),
      u64(0),
      u32(i),
      u32(0xffffffff),
      u32(i),
      u32(i),
      u32(i + 32),
      zeros(12),
      zeros(512),
    ),
    client(u8(0, 0x80), zeros(2), u32(0), u64(0), u32(i), u32(0xffffffff), u32(i), u32(i), zeros(16)),
    server(u8(0x20, 0x80), zeros(2), u32(0), u64(0), u32(i), u32(0xffffffff), u32(i), u32(i), u32(i + 32), zeros(12)),
  ]),
};

/** NBD: reads and writes (simple replies). */
const nbd: Spoken = {
  name: 'NBD',
  port: 10_809,
  turns: times(12, (i) => [
    client(hex('25609513'), u16(0), u16(0), u64(i), u64(i * 512), u32(512)),
    server(hex('67446698'), u32(0), u64(i), zeros(512)),
    client(hex('25609513'), u16(0), u16(1), u64(i), u64(0), u32(64), zeros(64)),
    server(hex('67446698'), u32(0), u64(i)),
  ]),
};

/** rsync's multiplexed stream: tags of four little-endian bytes. */
const rsync: Spoken = {
  name: 'rsync',
  port: 873,
  turns: times(12, (i) => [
    client(le32(0x07000000 | 20), le32(i), le32(0), le32(700), le32(2), le32(0)),
    server(le32(0x07000000 | 60), noise(20, i), zeros(40)),
  ]),
};

/** Ceph's messenger v1: keepalives, acks, messages. */
const ceph: Spoken = {
  name: 'Ceph',
  port: 6789,
  turns: times(12, (i) => [
    client(u8(7), le64(i), u8(0)),
    server(u8(8), le64(i)),
    server(u8(14), le32(i), le32(0)),
    client(
      u8(7),
      le64(i),
      le64(0),
      le16(15),
      le16(127),
      le16(1),
      le32(30),
      le32(0),
      le32(0),
      le16(0),
      zeros(20),
      zeros(30),
    ),
  ]),
};

// ── screens, telephones, peers ──

/** SSH after its key exchange: lengths are encrypted as well. */
const ssh: Spoken = {
  name: 'SSH',
  port: 22,
  turns: [
    server('SSH-2.0-OpenSSH_9.6\r\n'),
    client('SSH-2.0-OpenSSH_9.6\r\n'),
    client(s32(u8(6, 20), noise(16, 1), s32('curve25519-sha256'), s32('ssh-ed25519'), zeros(9), zeros(6))),
    ...times(20, (i) => [client(noise(52, i)), server(noise(132, 100 + i))]),
  ],
};

/** RDP: TPKT, X.224 and MCS; fast-path updates. */
const rdp: Spoken = {
  name: 'RDP',
  port: 3389,
  turns: times(12, (i) => [
    client(tpkt(hex('02f080'), hex('64000703eb70'), u8(14), le32(0), zeros(10))),
    server(u8(0, 0x80, 40), u8(1), le16(32), le16(1), zeros(10), le16(i), zeros(20)),
  ]),
};

/** X11: requests with lengths in words, events of 32 bytes. */
const x11: Spoken = {
  name: 'X11',
  port: 6000,
  turns: times(12, (i) => [
    client(u8(61, 0), le16(4), le32(0x200001), zeros(8), u8(43, 0), le16(1)),
    server(u8(1, 0), le16(i), le32(0), le32(0x200001), zeros(20), u8(12, 0), le16(i), le32(0x200001), zeros(24)),
  ]),
};

/** VNC's RFB: update requests, raw rectangles of black. */
const vnc: Spoken = {
  name: 'VNC RFB',
  port: 5900,
  turns: times(12, (i) => [
    client(u8(3, 1), u16(0), u16(0), u16(800), u16(600)),
    server(u8(0, 0), u16(1), u16(0), u16(i), u16(8), u16(8), u32(0), zeros(256)),
    client(u8(5, 0), u16(i), u16(i)),
  ]),
};

/** RTMP: chunks of audio, acknowledgements, pings. */
const rtmp: Spoken = {
  name: 'RTMP',
  port: 1935,
  turns: times(12, (i) => [
    client(u8(4), u24(i * 23), u24(20), u8(8), le32(1), noise(20, i)),
    server(u8(2), u24(0), u24(4), u8(3), le32(0), u32(i * 1000)),
    server(u8(2), u24(0), u24(6), u8(4), le32(0), u16(6), u32(i)),
    client(u8(0xc4, 0xaf, 1), zeros(60)),
  ]),
};

/** RTSP with RTP interleaved (RFC 2326, 10.12), and its requests in between. */
const rtsp: Spoken = {
  name: 'RTSP interleaved',
  port: 554,
  turns: [
    client('OPTIONS rtsp://camera/live RTSP/1.0\r\nCSeq: 1\r\n\r\n'),
    server('RTSP/1.0 200 OK\r\nCSeq: 1\r\nPublic: OPTIONS, DESCRIBE, PLAY\r\n\r\n'),
    ...times(10, (i) => [
      server(u8(0x24, 0), s16(u8(0x80, 96), u16(i), u32(i * 3600), u32(1), zeros(80))),
      server(u8(0x24, 1), s16(u8(0x80, 200), u16(6), u32(1), zeros(20))),
      client(`GET_PARAMETER rtsp://camera/live RTSP/1.0\r\nCSeq: ${i + 2}\r\nContent-Length: 0\r\n\r\n`),
      server(`RTSP/1.0 200 OK\r\nCSeq: ${i + 2}\r\nContent-Length: 4\r\n\r\n10\r\n`),
    ]),
  ],
};

/** Bitcoin: pings, inventories. */
const bitcoin: Spoken = {
  name: 'Bitcoin',
  port: 8333,
  turns: times(12, (i) => [
    client(btc('ping', le64(i))),
    server(btc('pong', le64(i))),
    server(btc('inv', u8(1), le32(1), noise(32, i))),
    client(btc('getaddr')),
  ]),
};

function btc(command: string, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(hex('f9beb4d9'), command, zeros(12 - command.length), le32(body.length), noise(4, body.length), body);
}

/** BitTorrent: requests, pieces of zeros, haves, keep-alives. */
const bittorrent: Spoken = {
  name: 'BitTorrent',
  port: 6881,
  turns: times(12, (i) => [
    client(s32(u8(6), u32(i), u32(0), u32(64))),
    server(s32(u8(7), u32(i), u32(0), zeros(64))),
    client(s32(u8(4), u32(i)), u32(0)),
    server(s32(u8(2)), s32(u8(3)), u32(0)),
  ]),
};

/** memberlist's push-pull over TCP (Serf, Consul): a type, msgpack. */
const memberlist: Spoken = {
  name: 'memberlist',
  port: 7946,
  turns: times(8, (i) => [
    client(
      u8(6),
      hex('83a5 4e6f646573 01 ac'),
      'UserStateLen',
      u8(0),
      hex('86a3'),
      'Inc',
      u8(i),
      hex('a4'),
      'Port',
      hex('cd1f0a'),
    ),
    server(u8(6), hex('83a5 4e6f646573 01 ac'), 'UserStateLen', u8(0), zeros(12)),
  ]),
};

/** TLS records of a connection whose keys nobody has. */
const tls: Spoken = {
  name: 'TLS',
  port: 8443,
  turns: times(14, (i) => [
    client(u8(23, 3, 3), s16(noise(60 + i, i))),
    server(u8(23, 3, 3), s16(noise(200 + i, 50 + i))),
  ]),
};

/** WebSocket frames whose opening handshake was before the capture: chat, pings. */
const webSocket: Spoken = {
  name: 'WebSocket',
  port: 8080,
  turns: times(14, (i) => [
    client(u8(0x81, 0x80 | 12), zeros(4), `{"n":100${i % 10}}  `),
    server(u8(0x81), s8(`{"room":"a","text":"message ${i}"}`)),
    client(u8(0x8a, 0x80), zeros(4)),
    server(u8(0x89, 0)),
  ]),
};

/** SOCKS 5 and then something. */
const socks: Spoken = {
  name: 'SOCKS',
  port: 1080,
  turns: [
    client(u8(5, 1, 0)),
    server(u8(5, 0)),
    client(u8(5, 1, 0, 1, 10, 0, 0, 1), u16(9000)),
    server(u8(5, 0, 0, 1, 0, 0, 0, 0, 0, 0)),
    ...times(10, (i) => [client(s32(u32(i), zeros(12))), server(s32(u32(i), zeros(40)))]),
  ],
};

/** Records of one zero after the other, as disks and memory are copied. */
const zeroBytes: Spoken = {
  name: 'zeros',
  port: 9999,
  turns: times(8, (i) => [client(zeros(100 + i)), server(zeros(900 + i))]),
};

const randomBytes: Spoken = {
  name: 'random bytes',
  port: 9998,
  turns: times(12, (i) => [client(noise(300, i)), server(noise(2000, 77 + i))]),
};

/** Small numbers of four bytes in both orders, as home-made protocols send them. */
const numbers: Spoken = {
  name: 'numbers',
  port: 9997,
  turns: times(14, (i) => [
    client(u32(i), u32(0), u32(1), u32(i & 3)),
    server(le32(i), le32(1), le32(0), le32(5), u32(8), u32(0)),
  ]),
};

export const BINARY: readonly Spoken[] = [
  modbus('Modbus/TCP', (i) => i + 1),
  modbus('Modbus/TCP, transaction 0', () => 0),
  s7,
  iec104,
  dnp3,
  opcua,
  enip,
  fins,
  dns,
  bgp,
  ldp,
  openflow,
  ldap,
  kerberos,
  diameter,
  smpp,
  smb,
  smb1,
  nfs,
  iscsi,
  nbd,
  rsync,
  ceph,
  ssh,
  rdp,
  x11,
  vnc,
  rtmp,
  rtsp,
  bitcoin,
  bittorrent,
  memberlist,
  tls,
  webSocket,
  socks,
  zeroBytes,
  randomBytes,
  numbers,
];
