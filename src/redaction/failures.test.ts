import { describe, expect, it } from 'vitest';
import { isSafeFailureText } from './failures.js';

const WEBHOOK = 'admission webhook "guard.example.com" denied the request: password "hunter2" is too short';
const POLICY = `secrets "s" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: value hunter2`;
const CALLED =
  'Internal error occurred: failed calling webhook "w": an error on the server ("hunter2") has prevented it';

describe('safe texts of failures', () => {
  it.each([
    ['NotFound', 'secrets "s" not found', 'secrets', true],
    ['Forbidden', 'pods is forbidden: User "bob" cannot list resource', undefined, true],
    ['Invalid', 'Pod "p" is invalid: spec.x: Invalid value: "hunter2"', 'pods', false],
    ['InternalError', 'Internal error occurred: strconv.Atoi: parsing "hunter2": invalid syntax', 'pods', false],
    ['', 'error dialing backend: dial tcp 192.0.2.1:10250: connect: connection refused', 'pods', true],
    [
      'BadRequest',
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.x"',
      'pods',
      true,
    ],
    ['BadRequest', 'Pod in version "v1" cannot be handled as a Pod: json: hunter2', 'pods', false],
    // Constant texts, whatever was asked for; with anything else in them they are none.
    ['', 'etcdserver: mvcc: database space exceeded', 'secrets', true],
    ['', 'etcdserver: request timed out, possibly due to previous leader failure', 'pods', true],
    ['', 'rpc error: code = Unavailable desc = etcdserver: leader changed', 'pods', true],
    ['', 'context deadline exceeded', undefined, true],
    ['BadRequest', 'Upgrade request required', 'pods', true],
    ['', 'etcdserver: hunter2', 'pods', false],
    ['', 'etcdserver: mvcc: database space exceeded: hunter2', 'pods', false],
    ['', 'hunter2: context deadline exceeded', 'pods', false],
    ['', 'rpc error: code = Unknown desc = hunter2', 'pods', false],
    ['BadRequest', 'Upgrade request required for hunter2', 'pods', false],
  ])('%s: %s (%s): %s', (reason, message, resource, expected) =>
    expect(isSafeFailureText({ reason, message }, resource)).toBe(expected),
  );

  // Any reason: controller-runtime's Denied() says Forbidden (sigs.k8s.io/controller-runtime, webhook/admission/response.go).
  it.each(
    [WEBHOOK, POLICY, CALLED].flatMap((message) =>
      ['', 'Forbidden', 'Invalid', 'InternalError', 'Conflict'].map((reason) => [reason, message] as const),
    ),
  )('texts of other programs are safe except for Secrets and unknown resources: %s %s', (reason, message) => {
    const expected = ['pods', 'secrets', undefined].map((resource) => isSafeFailureText({ reason, message }, resource));
    expect(expected).toEqual([true, false, false]);
  });
});
