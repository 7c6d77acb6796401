// Reads hijacked connections of the docker engine (docs.docker.com/reference/api/engine, "Stream format").
//
//   client  stdin, without headers
//   server  [ type:1 ][ 0 0 0 ][ length:4 ][ payload ]  …      type 0 stdin, 1 stdout, 2 stderr, 3 error of the engine
//   server  with a terminal: no headers, stdout and stderr are one

import { u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import { type ChannelReader, type ChannelSink, wholePiece } from '../exchange/channel.js';
import { LengthFramed } from './length-framed.js';

export class DockerStream implements ChannelReader {
  readonly #server: DockerFrames;

  /** @param isMultiplexed by the response; otherwise the first bytes decide. */
  constructor(isMultiplexed: boolean) {
    this.#server = new DockerFrames(isMultiplexed);
  }

  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    if (from === 'client') sink.onPiece(wholePiece('client', 'stdin', bytes.length, origin, true));
    else this.#server.to(sink).feed(bytes, origin);
  }

  gap(from: Side, length: number | null, origin: Origin, sink: ChannelSink): void {
    if (from === 'server') this.#server.to(sink).gap(length, origin);
  }

  end(from: Side, sink: ChannelSink): void {
    if (from === 'server') this.#server.to(sink).end();
  }
}

class DockerFrames extends LengthFramed {
  #mode: 'unknown' | 'multiplexed' | 'terminal' | 'lost';
  #sink!: ChannelSink;
  #bytes = 0;
  #isIntact = true;

  constructor(isMultiplexed: boolean) {
    super('frames of a docker stream', HEAD_BYTES);
    this.#mode = isMultiplexed ? 'multiplexed' : 'unknown';
  }

  to(sink: ChannelSink): this {
    this.#sink = sink;
    return this;
  }

  protected headSize(length: number): number {
    const at = length - 1;
    const isPossible = at === 0 ? this.head[0] < CHANNELS.length : at > 3 || this.head[at] === 0;
    return isPossible ? HEAD_BYTES : 0;
  }

  protected begin(size: number): number | string {
    if (this.headSize(size) === 0) return 'no frame header where a docker stream must have one';
    this.#mode = 'multiplexed';
    this.#isIntact = true;
    this.#bytes = 0;
    return u32be(this.head, 4);
  }

  protected payload(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
  }

  protected missing(): void {
    this.#isIntact = false;
  }

  protected over(): void {
    if (this.#bytes > 0 || !this.#isIntact) this.#emit(CHANNELS[this.head[0]], this.#bytes, this.first, this.#isIntact);
  }

  protected cut(headLength: number): void {
    if (this.left > 0) {
      this.#isIntact = false;
      this.over();
    } else if (headLength > 0 && this.#mode === 'unknown') {
      this.#mode = 'terminal';
      this.unread(headLength, 0);
    }
  }

  /** Without a header at the beginning, the bytes are the output of a terminal; later it is an error. */
  protected lost(why: string, origin: Origin, head: number): void {
    this.#mode = this.#mode === 'unknown' && head > 0 ? 'terminal' : 'lost';
    if (this.#mode === 'lost')
      this.#sink.onError('http.malformed', head > 0 ? why : `${why}; the rest is counted`, origin);
  }

  protected unread(head: number, rest: number): void {
    const isTerminal = this.#mode === 'terminal';
    this.#emit(isTerminal ? 'stdout' : null, head + rest, head > 0 ? this.first : this.last, isTerminal);
  }

  #emit(channel: string | null, size: number, first: Origin, complete: boolean): void {
    this.#sink.onPiece({ from: 'server', channel, size, first, last: this.last, complete, report: null });
  }
}

const HEAD_BYTES = 8;
const CHANNELS = ['stdin', 'stdout', 'stderr', 'error'];
