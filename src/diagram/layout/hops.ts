// Who stands between sender and receiver of a message as it is drawn: the Services whose addresses were translated. Knows
// messages; whoever compares a picture with messages needs the same hops.

import type { Message, Participant } from '../../kubernetes/messages/message.js';

export interface DrawnHop {
  readonly from: Participant;
  readonly to: Participant;
}

/** Arrows of a message, one after the other: a single one for nearly all. */
export function hopsOf(
  message: Message,
  from: Participant = message.from,
  to: Participant = message.to,
): readonly DrawnHop[] {
  const stops = [from, ...drawnVia(message), to];
  return stops.slice(1).map((stop, i) => ({ from: stops[i], to: stop }));
}

/** Between workloads a Service is part of the story; before an API server it is not. */
export function drawnVia({ protocol, via }: Message): readonly Participant[] {
  return via !== undefined && (protocol === 'http' || protocol === 'grpc') ? via : [];
}
