// Folds an exchange: a request, its response and the drawn parts of its stream.

import type { Message } from '../../kubernetes/messages/message.js';
import type { Dispositions, FoldReason } from '../disposition.js';
import type { MessageIndex } from '../message-index.js';

export function foldExchange(
  request: Message,
  reason: FoldReason,
  index: MessageIndex,
  dispositions: Dispositions,
): void {
  dispositions.set(request, reason);
  const { response, parts } = index.exchangeOf(request);
  if (response !== undefined) dispositions.set(response, reason);
  for (const part of parts) if (dispositions.get(part) === 'drawn') dispositions.set(part, reason);
}
