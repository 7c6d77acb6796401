// Selects the channel reader of an upgraded exchange or of a streamed body.

import { fieldValue } from '../../core/fields.js';
import type { BodyFraming, Exchange } from '../exchange-event.js';
import { DockerStream } from '../framing/docker-stream.js';
import { SpdyChannels } from '../spdy/channels.js';
import { WebSocketChannels } from '../websocket/channels.js';
import { WebSocketMessages } from '../websocket/messages.js';
import { type ChannelReader, OneChannel } from './channel.js';

/** @param framing of the server's bytes. @returns null for a protocol without channels, or an unknown one. */
export function channelReader(
  { request, response, upgraded }: Pick<Exchange, 'request' | 'response' | 'upgraded'>,
  framing: BodyFraming,
): ChannelReader | null {
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

/** @returns null for a body without channels. */
export function bodyChannels(framing: BodyFraming): ChannelReader | null {
  if (framing === 'docker-stream') return new DockerStream(false);
  return framing === 'log' ? new OneChannel('log') : null;
}
