// Reads a WebSocket whose messages are those of a stream: a watch with one event a message (k8s.io/apiserver,
// endpoints/handlers/watch.go: HandleWS). The client sends no messages; its bytes are only counted.

import type { Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import { type ChannelReader, type ChannelSink, wholePiece } from '../exchange/channel.js';
import { PendingItem } from '../framing/message-framer.js';
import { WebSocketChannels } from './channels.js';
import { type WebSocketFrameSink, WebSocketFrames } from './frames.js';

export class WebSocketMessages implements ChannelReader {
  readonly #client = new WebSocketChannels('', '');
  readonly #server = new ServerMessages();

  feed(from: Side, bytes: Uint8Array, origin: Origin, sink: ChannelSink): void {
    if (from === 'client') this.#client.feed(from, bytes, origin, sink);
    else this.#server.to(sink).feed(bytes, origin);
  }

  gap(from: Side, length: number | null, origin: Origin, sink: ChannelSink): void {
    if (from === 'client') this.#client.gap(from, length, origin, sink);
    else this.#server.to(sink).gap(length, origin);
  }

  end(from: Side, sink: ChannelSink, by: Side | undefined, origin: Origin): void {
    if (from === 'client') this.#client.end(from, sink, by, origin);
    else this.#server.to(sink).end();
  }
}

class ServerMessages implements WebSocketFrameSink {
  readonly #frames = new WebSocketFrames(this);
  #sink!: ChannelSink;
  readonly #message = new PendingItem();
  #first!: Origin;
  /** Bytes of the message, buffered or not. */
  #size = 0;
  /** Bytes are missing, so later ones are not buffered. */
  #isCut = false;
  #isTransformed = false;
  #hasTransformNotice = false;

  to(sink: ChannelSink): WebSocketFrames {
    this.#sink = sink;
    return this.#frames;
  }

  begin(_isText: boolean, isTransformed: boolean, origin: Origin): void {
    this.#first = origin;
    this.#size = 0;
    this.#isCut = false;
    this.#isTransformed = isTransformed;
    if (!isTransformed || this.#hasTransformNotice) return;
    this.#hasTransformNotice = true;
    this.#sink.onError('http.malformed', 'compressed WebSocket messages of the server are not read', origin);
  }

  payload(bytes: Uint8Array, origin: Origin): void {
    this.#size += bytes.length;
    if (!this.#isTransformed && !this.#isCut) this.#message.push(bytes, origin, this.#sink);
  }

  missing(length: number): void {
    this.#size += length;
    this.#isCut = true;
  }

  end(origin: Origin, complete: boolean): void {
    const isWhole = complete && !this.#isCut && !this.#message.isTooLong;
    if (this.#isTransformed)
      this.#sink.onPiece({ ...wholePiece('server', null, this.#size, origin, complete), first: this.#first });
    else if (this.#size > 0) this.#sink.onMessage(this.#message.take(), this.#first, origin, isWhole, false);
  }

  lost(why: string, origin: Origin): void {
    this.#sink.onError('http.malformed', `${why}; what the server sent after it is counted only`, origin);
  }

  unread(length: number, origin: Origin): void {
    this.#sink.onPiece(wholePiece('server', null, length, origin, false));
  }
}
