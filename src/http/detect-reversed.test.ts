import { expect, it } from 'vitest';
import { CONNECTION } from '../../test/kit/http1-kit.js';
import type { EndReason, StreamEvent } from '../tcp/stream-event.js';
import { reversed, reversedEvent } from './detect-reversed.js';

it.each([
  ['reset', 'aborted'],
  ['aborted', 'reset'],
  ['fin', 'fin'],
  ['idle', 'idle'],
] as const)(
  'the side that broke off the connection is reversed as well: %s',
  (reason: EndReason, turned: EndReason) => {
    const origin = { capture: 0, frame: 1, time: 1n };
    const closed: StreamEvent = { kind: 'closed', connection: CONNECTION, from: 'client', origin, reason };
    expect(reversedEvent(closed, reversed(CONNECTION))).toMatchObject({ from: 'server', reason: turned });
    expect(reversed(CONNECTION)).toMatchObject({ client: CONNECTION.server, server: CONNECTION.client });
  },
);
