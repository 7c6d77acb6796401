// Whether this machine can capture packets, and servers to capture the talk with.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Spawned } from './spawned.js';

/** Why not; empty: it can. */
export const NO_CAPTURE = (() => {
  if (process.platform !== 'linux') return 'no Linux';
  if (spawnSync('tcpdump', ['--version']).status !== 0) return 'no tcpdump';
  const tried = spawnSync('timeout', ['-s', 'INT', '0.3', 'tcpdump', '-i', 'lo', '-c', '1'], { encoding: 'utf8' });
  return tried.stderr.includes('listening on') ? '' : 'no permission to capture';
})();

/** An API server of one Pod: reads, creates, and a watch whose events are sent by `say`. */
export class SmallServer {
  readonly port: number;
  readonly #server: Server;
  readonly #watchers = new Set<ServerResponse>();

  private constructor(server: Server, watchers: Set<ServerResponse>) {
    this.#server = server;
    this.#watchers = watchers;
    this.port = (server.address() as AddressInfo).port;
  }

  static async open(): Promise<SmallServer> {
    const watchers = new Set<ServerResponse>();
    const server = createServer((asked: IncomingMessage, answer: ServerResponse) => {
      answer.setHeader('content-type', 'application/json');
      if (asked.url?.includes('watch=') === true) {
        watchers.add(answer.writeHead(200));
        answer.flushHeaders();
      } else answer.writeHead(asked.method === 'POST' ? 201 : 200).end(pod('web', 5));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new SmallServer(server, watchers);
  }

  /** One watch event to everybody who watches. */
  say(name: string, version: number): void {
    for (const watcher of this.#watchers)
      watcher.write(`${JSON.stringify({ type: 'ADDED', object: JSON.parse(pod(name, version)) })}\n`);
  }

  /** One request, on a connection of its own; resolves with the answer's head for a watch, else with its end. */
  ask(path: string, method = 'GET'): Promise<void> {
    return new Promise((done, failed) => {
      const asked = request({ host: '127.0.0.1', port: this.port, path, method, agent: false }, (answer) => {
        answer.resume();
        if (path.includes('watch=')) done();
        else answer.on('end', done);
      });
      asked.on('error', failed);
      asked.end(method === 'POST' ? pod('web', 0) : undefined);
    });
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** An API server of one Pod over TLS, in a process of its own: its key log is not this one's. */
export class HttpsServer {
  readonly url: string;
  readonly #process: Spawned;

  private constructor(serves: Spawned) {
    this.#process = serves;
    this.url = `https://127.0.0.1:${serves.stdout.trim()}`;
  }

  /** @param folder for its certificate. */
  static async open(folder: string): Promise<HttpsServer> {
    const [key, cert, serving] = ['key.pem', 'cert.pem', 'serve.mjs'].map((name) => join(folder, name));
    if (!existsSync(serving)) {
      const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=x'];
      if (spawnSync('openssl', [...kind, '-keyout', key, '-out', cert]).status !== 0)
        throw new Error('openssl makes no certificate');
      writeFileSync(
        serving,
        `import { readFileSync } from 'node:fs';
        import { createServer } from 'node:https';
        const server = createServer({ key: readFileSync('${key}'), cert: readFileSync('${cert}') }, (asked, answer) => {
          answer.setHeader('content-type', 'application/json');
          answer.end('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}');
        });
        server.listen(0, '127.0.0.1', () => console.log(server.address().port));`,
      );
    }
    const serves = new Spawned(process.execPath, [serving], { env: { SSLKEYLOGFILE: '' } });
    await serves.until(({ stdout }) => stdout.includes('\n'));
    return new HttpsServer(serves);
  }

  async close(): Promise<void> {
    await this.#process.end('SIGTERM');
  }
}

function pod(name: string, version: number): string {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(version) };
  return JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata });
}
