// Conversations of databases, caches and queues.

import {
  client,
  counted,
  hex,
  join,
  le16,
  le24,
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
  u8,
  u16,
  u32,
  u64,
  utf16,
  varint,
  zeros,
} from './kit.js';

// ── queues ──

/** MQTT 3.1.1: PUBLISH with QoS 1 and PUBACK, PINGREQ and PINGRESP. */
const mqtt: Spoken = {
  name: 'MQTT',
  port: 1883,
  turns: times(12, (i) => [
    client(
      u8(0x32),
      counted(varint, s16(`sensors/room${i}/temperature`), u16(i + 1), zeros(40), `{"celsius":2${i}.5}`),
    ),
    server(u8(0x40, 2), u16(i + 1)),
    client(u8(0xc0, 0)),
    server(u8(0xd0, 0)),
  ]),
};

/** Kafka: Produce, Fetch and Metadata requests with their responses (request header v1). */
const kafka: Spoken = {
  name: 'Kafka',
  port: 9092,
  turns: times(12, (i) => [
    client(
      s32(
        u16(i % 2),
        u16(7),
        u32(i),
        s16('producer-1'),
        u16(0xffff),
        u16(1),
        u32(30_000),
        u32(1),
        s16('events'),
        u32(1),
        u32(0),
        s32(batch(i)),
      ),
    ),
    server(
      s32(u32(i), u32(1), s16('events'), u32(1), u32(0), u16(0), u64(100 + i), hex('ffffffffffffffff'), u64(0), u32(0)),
    ),
    client(s32(u16(3), u16(4), u32(1000 + i), s16('producer-1'), u32(1), s16('events'), u8(0))),
    server(
      s32(
        u32(1000 + i),
        u32(0),
        u32(1),
        u32(0),
        s16('broker'),
        u32(9092),
        u16(0xffff),
        u32(0),
        u32(1),
        u16(0),
        s16('events'),
        u8(0),
        zeros(60),
      ),
    ),
  ]),
};

function batch(i: number): Uint8Array {
  return join(
    u64(0),
    s32(
      u32(0),
      u8(2),
      u32(0x1234 + i),
      u16(0),
      u32(0),
      u64(1_700_000),
      u64(1_700_000),
      hex('ffffffffffffffffffffffffffff'),
      u32(1),
      zeros(30),
    ),
  );
}

/** AMQP 0-9-1: Basic.Publish as method, content header and body frames; heartbeats. */
const amqp: Spoken = {
  name: 'AMQP',
  port: 5672,
  turns: times(12, (i) => [
    client(
      amqpFrame(1, 1, u16(60), u16(40), u16(0), s8(''), s8('jobs'), u8(0)),
      amqpFrame(2, 1, u16(60), u16(0), u64(64), u16(0)),
      amqpFrame(3, 1, zeros(50), `message ${i}     `),
    ),
    server(amqpFrame(1, 1, u16(60), u16(80), u64(i + 1), u8(0))),
    client(amqpFrame(8, 0)),
    server(amqpFrame(8, 0)),
  ]),
};

function amqpFrame(type: number, channel: number, ...parts: Part[]): Uint8Array {
  return join(u8(type), u16(channel), s32(...parts), u8(0xce));
}

/** AMQP 1.0: transfers and dispositions, empty frames to keep the connection. */
const amqp1: Spoken = {
  name: 'AMQP 1.0',
  port: 5672,
  turns: times(12, (i) => [
    client(amqp1Frame(0, hex('005314c00a0443'), u8(0x52, i), hex('a00400000001'), u8(0x43), zeros(20))),
    server(amqp1Frame(0, hex('005315c00a04'), u8(0x41, 0x52, i), hex('41005324450000'))),
    client(amqp1Frame(0)),
    server(amqp1Frame(0)),
  ]),
};

function amqp1Frame(channel: number, ...parts: Part[]): Uint8Array {
  const body = join(u8(2, 0), u16(channel), ...parts);
  return join(u32(body.length + 4), body);
}

/** NATS: PUB, MSG, PING. */
const nats: Spoken = {
  name: 'NATS',
  port: 4222,
  turns: [
    server('INFO {"server_id":"NA","version":"2.10.0","max_payload":1048576}\r\n'),
    client('CONNECT {"verbose":false,"lang":"go"}\r\nPING\r\n'),
    server('PONG\r\n'),
    ...times(10, (i) => [
      client(`PUB orders.new 10\r\n{"id":100${i}}\r\n`),
      server(`MSG orders.new 1 11\r\nhello world\r\nMSG orders.${i} 9 2\r\n10\r\n`),
      client('PING\r\n'),
      server('PONG\r\n'),
    ]),
  ],
};

/** STOMP 1.2: SEND and MESSAGE. */
const stomp: Spoken = {
  name: 'STOMP',
  port: 61613,
  turns: [
    client('CONNECT\naccept-version:1.2\nhost:broker\n\n\0'),
    server('CONNECTED\nversion:1.2\n\n\0'),
    ...times(8, (i) => [
      client(`SEND\ndestination:/queue/a\ncontent-length:4\n\n10${i}0\0\n`),
      server(`MESSAGE\nsubscription:0\nmessage-id:${i}\ndestination:/queue/a\n\n10\r\n\0\n`),
    ]),
  ],
};

// ── databases ──

/** PostgreSQL 3: Parse, Bind, Describe, Execute, Sync and rows. */
const postgresql: Spoken = {
  name: 'PostgreSQL',
  port: 5432,
  turns: times(10, (i) => [
    client(
      pg('P', '\0select id, name from users where id = $1\0', u16(1), u32(23)),
      pg('B', '\0\0', u16(1), u16(1), u16(1), s32(u32(i)), u16(1), u16(1)),
      pg('D', 'P\0'),
      pg('E', '\0', u32(0)),
      pg('S'),
    ),
    server(
      pg('1'),
      pg('2'),
      pg(
        'T',
        u16(2),
        'id\0',
        u32(16_384),
        u16(1),
        u32(23),
        u16(4),
        u32(0xffffffff),
        u16(1),
        'name\0',
        u32(16_384),
        u16(2),
        u32(25),
        u16(0xffff),
        u32(0xffffffff),
        u16(1),
      ),
      pg('D', u16(2), s32(u32(i)), s32(`user ${i}`)),
      pg('C', 'SELECT 1\0'),
      pg('Z', 'I'),
    ),
  ]),
};

function pg(type: string, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(type, u32(body.length + 4), body);
}

/** MySQL: COM_QUERY with a result set, COM_PING. */
const mysql: Spoken = {
  name: 'MySQL',
  port: 3306,
  turns: times(12, (i) => [
    client(my(0, u8(3), `select * from t where id = ${i}`)),
    server(
      my(1, u8(1)),
      my(
        2,
        s8('def'),
        s8('d'),
        s8('t'),
        s8('t'),
        s8('id'),
        s8('id'),
        u8(0x0c),
        le16(63),
        le32(11),
        u8(3),
        le16(0x4203),
        zeros(3),
      ),
      my(3, hex('fe00000200')),
      my(4, s8(`${i}`)),
      my(5, hex('fe00000200')),
    ),
    client(my(0, u8(0x0e))),
    server(my(1, hex('00000002000000'))),
  ]),
};

function my(sequence: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(le24(body.length), u8(sequence), body);
}

/** MongoDB: OP_MSG with small BSON documents. */
const mongodb: Spoken = {
  name: 'MongoDB',
  port: 27_017,
  turns: times(12, (i) => [
    client(opMsg(i + 1, 0, document('find', i))),
    server(opMsg(5000 + i, i + 1, document('ok', 1))),
  ]),
};

function opMsg(id: number, responseTo: number, body: Uint8Array): Uint8Array {
  const rest = join(le32(id), le32(responseTo), le32(2013), le32(0), u8(0), body);
  return join(le32(rest.length + 4), rest);
}

function document(name: string, value: number): Uint8Array {
  const body = join(u8(0x10), name, u8(0), le32(value), u8(0x12), 'n\0', le64(0), u8(0));
  return join(le32(body.length + 4), body);
}

/** SQL Server's TDS: SQL batches, rows, DONE tokens. */
const tds: Spoken = {
  name: 'MSSQL TDS',
  port: 1433,
  turns: times(12, (i) => [
    client(tdsPacket(1, le32(22), le32(18), le16(2), le64(0), le32(1), utf16(`select ${i} from sys.objects`))),
    server(
      tdsPacket(
        4,
        u8(0x81),
        le16(1),
        le32(0),
        le16(0),
        u8(0x38),
        u8(0),
        u8(0xd1),
        le32(i),
        u8(0xfd),
        le16(0x10),
        le16(0xc1),
        le64(1),
      ),
    ),
    client(tdsPacket(3, le32(22), le32(18), le16(2), le64(0), le32(1), le16(0xffff), le16(10), le16(0), zeros(40))),
    server(
      tdsPacket(
        4,
        u8(0xff),
        le16(0x11),
        le16(0xc1),
        le64(1),
        u8(0x79),
        le32(0),
        u8(0xfe),
        le16(0),
        le16(0xe0),
        le64(0),
      ),
    ),
  ]),
};

function tdsPacket(type: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(u8(type, 1), u16(body.length + 8), u16(0), u8(1, 0), body);
}

/** Oracle's TNS: data packets. */
const oracle: Spoken = {
  name: 'Oracle TNS',
  port: 1521,
  turns: times(10, (i) => [
    client(tns(u16(0), u8(3, 0x5e, i), le32(0x8061), zeros(12), `select ${i} from dual`, zeros(30))),
    server(tns(u16(0), u8(0x10, 0x17), noise(16, i), zeros(40), u8(4, 1), zeros(20))),
  ]),
};

function tns(...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(u16(body.length + 8), u16(0), u8(6, 0), u16(0), body);
}

/** Cassandra's CQL native protocol v4: QUERY and RESULT, OPTIONS as heartbeat. */
const cassandra: Spoken = {
  name: 'Cassandra CQL',
  port: 9042,
  turns: times(12, (i) => [
    client(cql(4, i, 7, s32('select * from system.local'), u16(1), u8(0))),
    server(
      cql(0x84, i, 8, u32(2), u32(1), u32(1), s16('system'), s16('local'), s16('key'), u16(13), u32(1), s32('local')),
    ),
    client(cql(4, 0, 5)),
    server(cql(0x84, 0, 6, u16(1), s16('CQL_VERSION'), u16(1), s16('3.4.6'))),
  ]),
};

function cql(version: number, stream: number, opcode: number, ...parts: Part[]): Uint8Array {
  return join(u8(version, 0), u16(stream), u8(opcode), s32(...parts));
}

/** ZooKeeper: getData, exists, pings. */
const zookeeper: Spoken = {
  name: 'ZooKeeper',
  port: 2181,
  turns: times(12, (i) => [
    client(s32(u32(i + 1), u32(4), s32('/brokers/ids/0'), u8(1))),
    server(
      s32(
        u32(i + 1),
        u64(40 + i),
        u32(0),
        s32('{"host":"a"}'),
        u64(3),
        u64(3),
        u64(0),
        u64(0),
        u32(0),
        u32(0),
        u32(0),
        u64(0),
        u32(12),
        u32(0),
        u64(3),
      ),
    ),
    client(s32(u32(0xfffffffe), u32(11))),
    server(s32(u32(0xfffffffe), u64(0), u32(0))),
  ]),
};

/** LDAP: searches and their results. */
const redis: Spoken = {
  name: 'Redis',
  port: 6379,
  turns: times(12, (i) => [
    client(`*2\r\n$3\r\nGET\r\n$6\r\nuser:${i % 10}\r\n`),
    server(`$17\r\n{"name":"user ${i % 10}"}\r\n`),
    client('*3\r\n$3\r\nSET\r\n$1\r\nn\r\n$2\r\n10\r\n*1\r\n$4\r\nPING\r\n'),
    server('+OK\r\n+PONG\r\n'),
    client('*4\r\n$6\r\nLRANGE\r\n$1\r\nl\r\n$1\r\n0\r\n$1\r\n3\r\n'),
    server('*4\r\n$2\r\n10\r\n$1\r\n1\r\n$3\r\nabc\r\n:5\r\n'),
  ]),
};

const redisInline: Spoken = {
  name: 'Redis inline',
  port: 6379,
  turns: times(10, (i) => [client(`GET key${i}\r\n`), server('$2\r\n1f\r\n'), client('PING\r\n'), server('+PONG\r\n')]),
};

const memcached: Spoken = {
  name: 'memcached text',
  port: 11_211,
  turns: times(10, (i) => [
    client(`get session:${i} counter\r\n`),
    server(`VALUE session:${i} 0 4\r\nabcd\r\nVALUE counter 0 2\r\n10\r\nEND\r\n`),
    client(`set counter 0 0 2\r\n1${i}\r\n`),
    server('STORED\r\n'),
  ]),
};

/** memcached's binary protocol: GET, SET, NOOP. */
const memcachedBinary: Spoken = {
  name: 'memcached binary',
  port: 11_211,
  turns: times(12, (i) => [
    client(mc(0x80, 0, i, '', `key${i}`, '')),
    server(mc(0x81, 0, i, u32(0), '', 'value')),
    client(mc(0x80, 1, i, u64(0), 'k', 'v'), mc(0x80, 0x0a, i, '', '', '')),
    server(mc(0x81, 1, i, '', '', ''), mc(0x81, 0x0a, i, '', '', '')),
  ]),
};

function mc(magic: number, opcode: number, opaque: number, extras: Part, key: Part, value: Part): Uint8Array {
  const lengths = [join(key).length, join(extras).length, join(extras, key, value).length];
  return join(
    u8(magic, opcode),
    u16(lengths[0]),
    u8(lengths[1], 0),
    u16(0),
    u32(lengths[2]),
    u32(opaque),
    u64(0),
    extras,
    key,
    value,
  );
}

/** Elasticsearch's transport protocol: requests, responses, pings of six bytes. */
const elasticsearch: Spoken = {
  name: 'Elasticsearch transport',
  port: 9300,
  turns: times(12, (i) => [
    client('ES', s32(u64(i + 1), u8(0), u32(8_000_099), u32(2), u8(0, 0), s8('cluster:monitor/nodes/info'), zeros(20))),
    server('ES', s32(u64(i + 1), u8(1), u32(8_000_099), u32(2), u8(0, 0), zeros(30))),
    client('ES', u32(0xffffffff)),
    server('ES', u32(0xffffffff)),
  ]),
};

/** Apache Thrift: framed binary protocol. */
const thrift: Spoken = {
  name: 'Thrift',
  port: 9090,
  turns: times(12, (i) => [
    client(s32(hex('80010001'), s32('ping'), u32(i), u8(8), u16(1), u32(i), u8(0))),
    server(s32(hex('80010002'), s32('ping'), u32(i), u8(11), u16(0), s32('pong'), u8(0))),
  ]),
};

/** Hadoop RPC: length, delimited protobuf headers, calls. */
const hadoop: Spoken = {
  name: 'Hadoop RPC',
  port: 8020,
  turns: times(10, (i) => [
    client(
      s32(
        s8(u8(8, 2, 16, 0, 24), varint(i), u8(34, 16), noise(16, 7), u8(40, 0)),
        s8(u8(10, 11), 'getFileInfo', u8(18, 2), 'cp', u8(24, 1)),
        s8(u8(10, 4), '/tmp'),
      ),
    ),
    server(
      s32(
        s8(u8(8), varint(i), u8(16, 0, 24, 9, 58, 16), noise(16, 7), u8(64, 0)),
        s8(u8(10, 8, 8, 2, 18, 0, 24, 0, 32, 0)),
      ),
    ),
  ]),
};

/** ClickHouse's native protocol: queries, blocks, pings. */
const clickhouse: Spoken = {
  name: 'ClickHouse',
  port: 9000,
  turns: times(10, (i) => [
    client(
      u8(1),
      s8(`query-${i}`),
      u8(1),
      zeros(30),
      u8(2, 0),
      s8('select 1'),
      u8(2, 0, 1, 0, 2),
      hex('ffffffff'),
      zeros(3),
    ),
    server(u8(1, 0, 1, 0, 2), hex('ffffffff'), u8(0, 1, 1), s8('1'), s8('UInt8'), u8(1), u8(5)),
    client(u8(4)),
    server(u8(4)),
  ]),
};

/** etcd's peers (rafthttp) stream messages of raft behind a length of eight bytes. */
const raft: Spoken = {
  name: 'rafthttp stream',
  port: 2380,
  turns: times(12, (i) => [
    server(u64(20), hex('0808 10f1a2b3c4d5e6f70118 02 20'), u8(i), hex('28 05 30 06 0000')),
    server(u64(0)),
  ]),
};

/** Aerospike: info and message headers of eight bytes. */
const aerospike: Spoken = {
  name: 'Aerospike',
  port: 3000,
  turns: times(10, (i) => [
    client(as(3, u8(22, 3), zeros(10), u32(1000), u16(2), u16(0), s32(u8(0), 'test'), s32(u8(4), noise(20, i)))),
    server(as(3, u8(22), zeros(4), u8(0), u32(i), u32(0), u32(0), u16(0), u16(1), s32(u8(1, 1, 0, 1), 'n', u64(i)))),
  ]),
};

function as(type: number, ...parts: Part[]): Uint8Array {
  const body = join(...parts);
  return join(u8(2, type), u16(0), u32(body.length), body);
}

export const DATABASES: readonly Spoken[] = [
  mqtt,
  kafka,
  amqp,
  amqp1,
  nats,
  stomp,
  postgresql,
  mysql,
  mongodb,
  tds,
  oracle,
  cassandra,
  zookeeper,
  redis,
  redisInline,
  memcached,
  memcachedBinary,
  elasticsearch,
  thrift,
  hadoop,
  clickhouse,
  raft,
  aerospike,
];
