// Which messages a frame holds: from a number that Wireshark shows to the messages that came in that frame.

import type { Message } from '../kubernetes/messages/message.js';

/**
 * @param frame number in its capture; where there are several captures, in each of them.
 * @returns in their order: the messages that begin or end in it, else those whose bytes go on in it.
 */
export function messagesInFrame(messages: readonly Message[], frame: number): readonly Message[] {
  const edges = messages.filter((message) => rangesOf(message).some((range) => range.includes(frame)));
  if (edges.length > 0) return edges;
  return messages.filter((message) => rangesOf(message).some(([first, last]) => first < frame && frame < last));
}

/** @returns the message that ends nearest to a frame which holds none; undefined where there are no messages. */
export function nearestToFrame(messages: readonly Message[], frame: number): Message | undefined {
  let nearest: Message | undefined;
  for (const message of messages)
    if (nearest === undefined || distance(message, frame) < distance(nearest, frame)) nearest = message;
  return nearest;
}

function distance({ frames }: Message, frame: number): number {
  return Math.abs(frames[1] - frame);
}

/** With the copies of it whose addresses were translated. From one capture into another only its two ends are known. */
function rangesOf({ frames, lastCapture, translated = [] }: Message): (readonly number[])[] {
  const own: (readonly number[])[] = lastCapture === undefined ? [frames] : frames.map((frame) => [frame]);
  return [...own, ...translated.map((copy) => copy.frames)];
}
