// Small servers without a cluster behind them: an HTTP server that answers what was arranged (docker engine, registry, applications,
// vault), a kubelet and a webhook over TLS that write down their keys, and a container runtime (gRPC). Knows nothing of secrets.

import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connect2, createServer as createServer2 } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { run } from './cluster.js';

/** Answers by `METHOD target`, each used for every request that fits. */
export class Arranged {
  #answers = new Map();
  #fallback;

  constructor(fallback = () => ({ status: 404, body: '{"message":"page not found"}' })) {
    this.#fallback = fallback;
  }

  arrange(method, target, answer) {
    this.#answers.set(`${method} ${target}`, answer);
  }

  handler = (request, response) => {
    const parts = [];
    request.on('data', (bytes) => parts.push(bytes));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const answer = this.#answers.get(`${request.method} ${request.url}`) ?? this.#fallback(request, body);
      const { status = 200, headers = {}, type = 'application/json' } = answer;
      response.writeHead(status, { 'Content-Type': type, ...headers });
      response.end(answer.body ?? '{}');
    });
  };
}

/** A server of plain HTTP/1.1. @returns how to ask it: its answer is arranged, then curl asks. */
export function plainServer(address, port) {
  const arranged = new Arranged();
  createServer({ maxHeaderSize: 65_536 }, arranged.handler).listen(port, address);
  return asking(arranged, `http://${address}:${port}`);
}

/** A server of HTTP/1.1 over TLS whose keys go to a key log. */
export function tlsServer(address, port, pki, keyLog, fallback, upgrade) {
  const arranged = new Arranged(fallback);
  const server = createTlsServer(
    { key: readFileSync(pki('server.key')), cert: readFileSync(pki('server.crt')) },
    arranged.handler,
  );
  server.on('keylog', (line) => appendFileSync(keyLog, line));
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  server.listen(port, address);
  return asking(arranged, `https://${address}:${port}`);
}

function asking(arranged, origin) {
  const ask = async ({ method = 'GET', target, headers = {}, type, body, user, answer }) => {
    if (answer !== undefined) arranged.arrange(method, target, answer);
    return curl(origin, { method, target, headers, type, body, user });
  };
  return Object.assign(ask, { arrange: (...arrangement) => arranged.arrange(...arrangement) });
}

/** A request by curl. */
export function curl(origin, { method = 'GET', target, headers = {}, type = 'application/json', body, user }) {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const sent = body === undefined ? [] : ['-H', `Content-Type: ${type}`, '--data-binary', '@-'];
  const named = user === undefined ? [] : ['-u', user];
  return run(
    'curl',
    ['-skg', '-m', '8', '--path-as-is', '-X', method, ...named, ...fields, ...sent, `${origin}${target}`],
    {
      input: typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body,
    },
  );
}

/** A gRPC server over cleartext HTTP/2: answers by path. */
export function grpcServer(address, port) {
  const answers = new Map();
  const server = createServer2();
  server.on('stream', (stream, headers) => {
    stream.on('data', () => {});
    stream.on('end', () => {
      const { message, status = '0', text } = answers.get(headers[':path']) ?? { status: '12' };
      const trailers = {
        'grpc-status': status,
        ...(text === undefined ? {} : { 'grpc-message': encodeURIComponent(text) }),
      };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.end(message === undefined ? undefined : prefixed(message));
    });
  });
  server.listen(port, address);
  let session = null;
  return (path, request, answer = {}) => {
    answers.set(path, { status: '0', ...answer });
    session ??= connect2(`http://${address}:${port}`);
    return call(session, path, request, answer.metadata);
  };
}

/** A gRPC client of a server that is there already. */
export function grpcClient(address, port) {
  // With the first call: connections from before the capture are dropped.
  let session = null;
  return (path, request, metadata) => {
    session ??= connect2(`http://${address}:${port}`);
    return call(session, path, request, metadata);
  };
}

function call(session, path, request, metadata = {}) {
  return new Promise((done) => {
    const head = {
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'grpc-go/1.72.2',
    };
    const stream = session.request({ ...head, ...metadata });
    stream.on('data', () => {});
    stream.on('close', done);
    stream.on('error', () => {});
    stream.setTimeout(1500, () => stream.close());
    stream.end(prefixed(request));
  });
}

function prefixed(message) {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A protobuf message of [number, value] pairs: texts and bytes, integers, messages (arrays of pairs). */
export function message(...fields) {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
      const bytes = Array.isArray(value) ? message(...value) : Buffer.from(value);
      return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value) {
  const out = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
  return Buffer.from([...out, rest]);
}
