// Finds the messages in a frame, by the frame number that Wireshark shows.

import type { Message } from '../kubernetes/messages/message.js';

/**
 * @param frame number in any of the captures.
 * @returns messages that begin or end in the frame, else messages that continue in it.
 */
export function messagesInFrame(messages: readonly Message[], frame: number): readonly Message[] {
  const edges = messages.filter((message) => rangesOf(message).some((range) => range.includes(frame)));
  if (edges.length > 0) return edges;
  return messages.filter((message) => rangesOf(message).some(([first, last]) => first < frame && frame < last));
}

/** The message that ends nearest to a frame; undefined: there are no messages. */
export function nearestToFrame(messages: readonly Message[], frame: number): Message | undefined {
  let nearest: Message | undefined;
  for (const message of messages)
    if (nearest === undefined || distance(message, frame) < distance(nearest, frame)) nearest = message;
  return nearest;
}

function distance({ frames }: Message, frame: number): number {
  return Math.abs(frames[1] - frame);
}

/** Includes translated copies. Of a message that spans two captures, only the first and the last frame are known. */
function rangesOf({ frames, lastCapture, translated = [] }: Message): (readonly number[])[] {
  const own: (readonly number[])[] = lastCapture === undefined ? [frames] : frames.map((frame) => [frame]);
  return [...own, ...translated.map((copy) => copy.frames)];
}
