// How an upgraded exchange, or a body that is no message, is read into channels: told from the heads, one row a protocol.
// Knows which reader; not what a channel carries.

import { fieldValue } from '../../core/fields.js';
import type { BodyFraming, Exchange } from '../exchange-event.js';
import { DockerStream } from '../framing/docker-stream.js';
import { SpdyChannels } from '../spdy/channels.js';
import { WebSocketChannels } from '../websocket/channels.js';
import { WebSocketMessages } from '../websocket/messages.js';
import { type ChannelReader, OneChannel } from './channel.js';

/**
 * The reader for an exchange that was just upgraded.
 *
 * @param framing of what the server sends.
 * @returns null: a protocol without channels, or an unknown one; its bytes go on as they are.
 */
export function channelReader({ request, response, upgraded }: Exchange, framing: BodyFraming): ChannelReader | null {
  const fields = response?.fields ?? [];
  switch (upgraded?.toLowerCase()) {
    case 'websocket':
      if (framing === 'messages') return new WebSocketMessages();
      return new WebSocketChannels(fieldValue(fields, 'sec-websocket-protocol') ?? '', request?.target ?? '');
    case 'spdy/3.1':
      return new SpdyChannels();
    case 'tcp': {
      const type = fieldValue(fields, 'content-type');
      if (type === 'application/vnd.docker.multiplexed-stream') return new DockerStream(true);
      return type === 'application/vnd.docker.raw-stream' ? new DockerStream(false) : null;
    }
    default:
      return null;
  }
}

/** The reader for a body of several pieces that are no messages; null: it is framed otherwise. */
export function bodyChannels(framing: BodyFraming): ChannelReader | null {
  if (framing === 'docker-stream') return new DockerStream(false);
  return framing === 'log' ? new OneChannel('log') : null;
}
