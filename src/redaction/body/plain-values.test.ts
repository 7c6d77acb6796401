import { describe, expect, it } from 'vitest';
import { isSecretNumber } from './plain-values.js';

describe('a number', () => {
  it.each([
    'spec.values.rootPassword',
    'spec.values.auth.pin',
    'spec.credentials.db',
    'spec.adminPass',
    'spec.encryptionKey',
    'spec.access_code',
    'status.otp',
  ])('may be a secret at %s', (path) => expect(isSecretNumber(path.split('.'))).toBe(true));

  it.each([
    'spec.replicas',
    'spec.key',
    'status.exitCode',
    'spec.tokenTtl',
    'spec.passwordMinLength',
    'spec.ping',
    'spec.secretRef.port',
    'status.observedGeneration',
    'spec.pinned',
  ])('is none at %s', (path) => expect(isSecretNumber(path.split('.'))).toBe(false));
});
