import { describe, expect, it } from 'vitest';
import { exchanged, message } from '../../../test/kit/messages.js';
import { parseFollow } from '../../kubernetes/api/kinds.js';
import type { K8sEventInfo, Message } from '../../kubernetes/messages/message.js';
import { messagesAbout } from './follow.js';
import { decide } from './visibility.js';

const POD = { kind: 'Pod', namespace: 'default', name: 'web', uid: 'u-web' };
const followed = parseFollow('pod/web', 'default')!;

function eventAbout(name: string, uid: string): K8sEventInfo {
  const about = { kind: 'Pod', namespace: 'default', name, uid };
  return { ...about, type: 'Normal', reason: 'Pulled', message: 'Container image pulled', component: 'kubelet' };
}

const written = exchanged(
  { verb: 'create', resource: 'pods', namespace: 'default', name: 'web' },
  { status: 201, object: POD },
);
const made = exchanged({ verb: 'create', resource: 'events', name: 'web.1', k8sEvent: eventAbout('web', 'u-web') });
const repeated = exchanged(
  { verb: 'patch', resource: 'events', name: 'web.1' },
  { status: 200, k8sEvent: eventAbout('web', 'u-web') },
);
const ofOther = exchanged({ verb: 'create', resource: 'events', name: 'api.1', k8sEvent: eventAbout('api', 'u-api') });
const watch = exchanged({ verb: 'watch', resource: 'events' });
const [{ exchange }] = watch;
const heard = message({ kind: 'event', exchange, type: 'ADDED', k8sEvent: eventAbout('web', 'u-web') });
const heardOfOther = message({ kind: 'event', exchange, type: 'ADDED', k8sEvent: eventAbout('api', 'u-api') });
const messages = [...written, ...made, ...repeated, ...ofOther, ...watch, heard, heardOfOther];

describe('of Events, those are about an object that k8sEvent on it', () => {
  const about = [...written, ...made, ...repeated, heard];

  it('as messages, with what opened the watch', () => {
    expect(messagesAbout(messages, followed)).toEqual([...about.slice(0, -1), ...watch, heard]);
  });

  it('in a diagram of everything', () => {
    const dispositions = decide({ messages, notices: [] }, { follow: followed, all: true });
    expect(messages.filter((one) => dispositions.get(one) === 'drawn')).toEqual(about);
  });

  it('none, where nothing else is about it', () => {
    const nobody = parseFollow('pod/none', 'default')!;
    expect(messagesAbout(messages, nobody)).toEqual<Message[]>([]);
  });
});
