// Writes the user of a request into its message, and into the response if that shows the user.

import type { Body } from '../../../../http/exchange-event.js';
import type { Draft } from '../../../messages/draft.js';
import type { ExchangeContext } from '../../../messages/exchange-context.js';
import type { BodyObject } from '../../../objects/object-info.js';
import { refusedByKubelet, refusedIn, userIn } from './answers.js';
import type { Users } from './users.js';

export function describeUser(message: Draft, { user }: ExchangeContext): void {
  if (user === null || user.known === user.shown) return;
  user.shown = user.known;
  message.user = user.known?.name;
  message.userFrom = user.known?.from;
}

/** Learns the client's user from a response. @param carried object of its body. */
export function learnUser(
  users: Users,
  { user, info, role }: ExchangeContext,
  body: Body | null,
  carried: BodyObject | null,
  status: number,
): void {
  if (user === null) return;
  if (status === UNAUTHORIZED) users.unauthorized(user);
  if (body === null) return;
  if (status === FORBIDDEN) {
    const refused =
      carried?.status !== undefined
        ? refusedIn(carried.status.message)
        : role.protocol === 'kubelet'
          ? refusedByKubelet(body)
          : null;
    if (refused !== null) users.refused(user, refused);
  } else if (status === CREATED && info !== null) {
    const named = userIn(info, body);
    if (named !== null) users.answered(user, named);
  }
}

const CREATED = 201;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
