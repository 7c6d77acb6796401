import { expect, it } from 'vitest';
import { withAddress } from './connection-name.js';

it.each([
  ['etcd', '192.0.2.10:2379', 'etcd (192.0.2.10:2379)'],
  ['proxy 192.0.2.20', '192.0.2.20:8443', 'proxy 192.0.2.20'],
  ['proxy 192.0.2.20', '192.0.2.2:8443', 'proxy 192.0.2.20 (192.0.2.2:8443)'],
  ['webhook 127.0.0.1:36903', '127.0.0.1:36903', 'webhook 127.0.0.1:36903'],
  ['webhook [::1]:36903', '::1:36903', 'webhook [::1]:36903'],
  ['client fd00::7', 'fd00::7:443', 'client fd00::7'],
])('%s at %s', (name, endpoint, text) => expect(withAddress(name, endpoint)).toBe(text));
