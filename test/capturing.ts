// Whether this machine can capture packets, and servers to capture the talk with.
import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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

function pod(name: string, version: number): string {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(version) };
  return JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata });
}
