// Conversations in lines: mail, chat, files, telephones.

import { client, type Spoken, server, times, u8 } from './kit.js';

const smtp: Spoken = {
  name: 'SMTP',
  port: 25,
  turns: [
    server('220 mail.example ESMTP\r\n'),
    client('EHLO a.example\r\n'),
    server('250-mail.example\r\n250-SIZE 10\r\n250 OK\r\n'),
    ...times(6, (i) => [
      client(`MAIL FROM:<a${i}@example.com>\r\n`),
      server('250 OK\r\n'),
      client('RCPT TO:<b@example.com>\r\n'),
      server('250 OK\r\n'),
      client('DATA\r\n'),
      server('354 go ahead\r\n'),
      client(`Subject: ${i}\r\n\r\nadd\r\n10\r\nGET / HTTP/1.1 is how a request begins\r\nface\r\n.\r\n`),
      server('250 queued\r\n'),
    ]),
  ],
};

const imap: Spoken = {
  name: 'IMAP',
  port: 143,
  turns: times(10, (i) => [
    client(`a${i} FETCH ${i + 1} (FLAGS BODY[TEXT])\r\n`),
    server(`* ${i + 1} FETCH (FLAGS (\\Seen) BODY[TEXT] {12}\r\n10\r\nabcdef\r\n)\r\na${i} OK FETCH completed\r\n`),
    client(`b${i} IDLE\r\n`),
    server('+ idling\r\n'),
    client('DONE\r\n'),
    server(`b${i} OK IDLE terminated\r\n`),
  ]),
};

const pop3: Spoken = {
  name: 'POP3',
  port: 110,
  turns: times(8, (i) => [
    client('STAT\r\n'),
    server(`+OK 2 32${i}\r\n`),
    client(`RETR ${i + 1}\r\n`),
    server('+OK 120 octets\r\nFrom: a@example.com\r\n\r\nabc\r\n10\r\nHTTP/1.1 is what it speaks\r\n.\r\n'),
  ]),
};

const ftp: Spoken = {
  name: 'FTP',
  port: 21,
  turns: times(8, (i) => [
    client('TYPE I\r\n'),
    server('200 Type set to I\r\n'),
    client('PASV\r\n'),
    server(`227 Entering Passive Mode (10,0,0,1,200,${i})\r\n`),
    client(`RETR file${i}\r\n`),
    server('150 Opening\r\n226 Done\r\n'),
  ]),
};

const irc: Spoken = {
  name: 'IRC',
  port: 6667,
  turns: times(10, (i) => [
    client(`PRIVMSG #kubernetes :hello ${i}\r\n`),
    server(`:alice!a@host PRIVMSG #kubernetes :GET /pods fails\r\nPING :server\r\n`),
    client('PONG :server\r\n'),
  ]),
};

const xmpp: Spoken = {
  name: 'XMPP',
  port: 5222,
  turns: times(10, (i) => [
    client(`<message to='b@example.com' id='${i}'><body>hello</body></message>`),
    server(`<message from='b@example.com' id='${i}'><body>10\r\nhello\r\n</body></message>`),
    client(' '),
  ]),
};

/** SIP over TCP: its requests and answers are written like those of HTTP. */
const sip: Spoken = {
  name: 'SIP',
  port: 5060,
  turns: times(8, (i) => [
    client(
      `OPTIONS sip:b@example.com SIP/2.0\r\nVia: SIP/2.0/TCP a;branch=z9hG4bK${i}\r\nCSeq: ${i} OPTIONS\r\nContent-Length: 0\r\n\r\n`,
    ),
    server(
      `SIP/2.0 200 OK\r\nVia: SIP/2.0/TCP a;branch=z9hG4bK${i}\r\nCSeq: ${i} OPTIONS\r\nContent-Length: 0\r\n\r\n`,
    ),
    client(`INVITE sip:b@example.com SIP/2.0\r\nCSeq: ${i} INVITE\r\nContent-Length: 5\r\n\r\nv=0\r\n`),
    server(`SIP/2.0 180 Ringing\r\nCSeq: ${i} INVITE\r\nContent-Length: 0\r\n\r\n`),
  ]),
};

/** ICAP (RFC 3507): HTTP messages inside, chunk by chunk, of somebody else. */
const icap: Spoken = {
  name: 'ICAP',
  port: 1344,
  turns: times(8, (i) => [
    client('OPTIONS icap://scan.example/virus ICAP/1.0\r\nHost: scan.example\r\n\r\n'),
    server(`ICAP/1.0 200 OK\r\nMethods: RESPMOD\r\nISTag: "A${i}"\r\nEncapsulated: null-body=0\r\n\r\n`),
    client(`OPTIONS icap://scan.example/url ICAP/1.0\r\nHost: scan.example\r\nX-Number: ${i}\r\n\r\n`),
    server('ICAP/1.0 204 No Content\r\nEncapsulated: null-body=0\r\n\r\n'),
  ]),
};

const telnet: Spoken = {
  name: 'Telnet',
  port: 23,
  turns: times(10, (i) => [
    client(u8(0xff, 0xfd, 1, 0xff, 0xfb, 31)),
    server(u8(0xff, 0xfb, 1), `router-${i}# `),
    client('show version\r\n'),
    server('show version\r\nVersion 10\r\n20\r\nbe\r\n'),
  ]),
};

const graphite: Spoken = {
  name: 'Graphite',
  port: 2003,
  turns: times(14, (i) => [client(`servers.web.cpu ${i} 170000000${i}\nservers.web.memory 10 1700000000\n`)]),
};

const syslog: Spoken = {
  name: 'syslog',
  port: 601,
  turns: times(12, (i) => [client(`62 <34>1 2023-10-11T22:14:15.003Z host app ${i} - - GET /healthz HTTP`)]),
};

/** A log of requests, line by line, as an agent sends it. */
const accessLog: Spoken = {
  name: 'access log',
  port: 5140,
  turns: times(12, (i) => [
    client(`10.0.0.1 - - [10/Oct/2023:13:55:36 +0000] "GET /api/${i} HTTP/1.1" 200 10\n`),
    server('ok\n'),
  ]),
};

/** JSON documents with sizes in lines before them, in decimal numbers. */
const jsonLines: Spoken = {
  name: 'JSON behind decimal sizes',
  port: 4567,
  turns: times(12, (i) => [
    client(`24\r\n{"id":1,"method":"get"} \r\n`),
    server(`20\r\n{"id":1,"result":${i % 10}}\r\n`),
  ]),
};

export const TEXT: readonly Spoken[] = [
  smtp,
  imap,
  pop3,
  ftp,
  irc,
  xmpp,
  sip,
  icap,
  telnet,
  graphite,
  syslog,
  accessLog,
  jsonLines,
];
