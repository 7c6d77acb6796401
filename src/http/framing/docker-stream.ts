// Reads hijacked connections of the docker engine (docs.docker.com/reference/api/engine, "Stream format").
//
//   client  stdin, without headers
//   server  [ type:1 ][ 0 0 0 ][ length:4 ][ payload ]  …      type 0 stdin, 1 stdout, 2 stderr, 3 error of the engine
//   server  with a terminal: no headers, stdout and stderr are one

import { u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import { type ChannelReader, type ChannelSink, wholePiece } from '../exchange/channel.js';

export class DockerStream implements ChannelReader {
  #mode: 'unknown' | 'multiplexed' | 'terminal' | 'lost';
  readonly #head = new Uint8Array(HEAD_BYTES);
  #headLength = 0;
  /** Remaining payload of the frame. */
  #left = 0;
  #bytes = 0;
  #isIntact = true;
  #first: Origin | null = null;
  #last: Origin | null = null;

  /** @param isMultiplexed by the response; otherwise the first bytes decide. */
  constructor(isMultiplexed: boolean) {
    this.#mode = isMultiplexed ? 'multiplexed' : 'unknown';
  }

  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    if (from === 'client') {
      sink.onPiece(wholePiece('client', 'stdin', bytes.length, origin, true));
      return;
    }
    let at = 0;
    while (at < bytes.length && this.#mode !== 'terminal' && this.#mode !== 'lost') {
      this.#last = origin;
      if (this.#left > 0) {
        const more = Math.min(this.#left, bytes.length - at);
        this.#left -= more;
        this.#bytes += more;
        at += more;
        if (this.#left === 0) this.#frameOver(sink);
        continue;
      }
      if (this.#headLength === 0) this.#first = origin;
      this.#head[this.#headLength++] = bytes[at++];
      if (!this.#isHeadPossible()) this.#noHead(origin, sink);
      else if (this.#headLength === HEAD_BYTES) this.#headOver(sink);
    }
    const size = this.#headLength + bytes.length - at;
    if ((this.#mode === 'terminal' || this.#mode === 'lost') && size > 0) this.#rest(size, origin, sink);
  }

  gap(from: Side, length: number | null, origin: Origin, sink: ChannelSink): void {
    if (from === 'client' || length === 0 || this.#mode === 'terminal' || this.#mode === 'lost') return;
    if (length !== null && length <= this.#left) {
      this.#left -= length;
      this.#isIntact = false;
      if (this.#left === 0) this.#frameOver(sink);
      return;
    }
    this.end(from, sink);
    this.#mode = 'lost';
    sink.onError('http.malformed', 'bytes are missing between frames of a docker stream; the rest is counted', origin);
  }

  end(from: Side, sink: ChannelSink): void {
    if (from === 'client') return;
    if (this.#left > 0) {
      this.#isIntact = false;
      this.#frameOver(sink);
    } else if (this.#headLength > 0 && this.#mode === 'unknown') {
      this.#mode = 'terminal';
      this.#rest(this.#headLength, this.#last!, sink);
    }
    this.#left = 0;
    this.#headLength = 0;
  }

  #headOver(sink: ChannelSink): void {
    this.#mode = 'multiplexed';
    this.#headLength = 0;
    this.#isIntact = true;
    this.#bytes = 0;
    this.#left = u32be(this.#head, 4);
    if (this.#left === 0) this.#frameOver(sink);
  }

  #frameOver(sink: ChannelSink): void {
    if (this.#bytes === 0 && this.#isIntact) return;
    sink.onPiece({
      from: 'server',
      channel: CHANNELS[this.#head[0]],
      size: this.#bytes,
      first: this.#first!,
      last: this.#last!,
      complete: this.#isIntact,
      report: null,
    });
  }

  #isHeadPossible(): boolean {
    const at = this.#headLength - 1;
    return at === 0 ? this.#head[0] < CHANNELS.length : at > 3 || this.#head[at] === 0;
  }

  /** Without a header at the beginning, the bytes are the output of a terminal; later it is an error. */
  #noHead(origin: Origin, sink: ChannelSink): void {
    this.#mode = this.#mode === 'unknown' ? 'terminal' : 'lost';
    if (this.#mode === 'lost')
      sink.onError('http.malformed', 'no frame header where a docker stream must have one', origin);
  }

  /** Emits bytes without a header, with those that were taken for one. */
  #rest(size: number, origin: Origin, sink: ChannelSink): void {
    const isTerminal = this.#mode === 'terminal';
    const channel = isTerminal ? 'stdout' : null;
    const first = this.#headLength > 0 ? this.#first! : origin;
    this.#headLength = 0;
    sink.onPiece({ from: 'server', channel, size, first, last: origin, complete: isTerminal, report: null });
  }
}

const HEAD_BYTES = 8;
const CHANNELS = ['stdin', 'stdout', 'stderr', 'error'];
