import { describe, expect, it } from 'vitest';
import { bodyOf as keptBody } from '../../http/exchange/body.js';
import type { Body, Exchange } from '../../http/exchange-event.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import type { StatusInfo } from '../objects/object-info.js';
import { failureReason, isDryRun, warningsIn } from './failure-text.js';

function bodyOf(content: string | Uint8Array, contentType = 'application/json'): Body {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return keptBody(bytes, bytes.length, contentType, '', true);
}

describe('a write that is to change nothing', () => {
  const path = '/api/v1/namespaces/default/pods/web';

  it('has it in its query', () => {
    expect(isDryRun(`${path}?dryRun=All`, null)).toBe(true);
    expect(isDryRun(`${path}?fieldManager=kubectl&dryRun=All`, null)).toBe(true);
    expect(isDryRun(`${path}?fieldManager=dryRun`, null)).toBe(false);
  });

  it('or, a delete, in its options', () => {
    // As kubectl 1.36 sends them with --dry-run=server, and without.
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    expect(isDryRun(path, bodyOf(JSON.stringify({ ...options, dryRun: ['All'] })))).toBe(true);
    expect(isDryRun(path, bodyOf(JSON.stringify(options)))).toBe(false);
    // meta.v1.DeleteOptions { propagationPolicy = 4, dryRun = 5 } in its envelope (runtime.Unknown: typeMeta = 1, raw = 2).
    const envelope = '6b387300 0a13 0a027631 120d44656c6574654f7074696f6e73';
    const dry = Buffer.from(`${envelope} 1205 2a03416c6c`.replaceAll(' ', ''), 'hex');
    const plain = Buffer.from(`${envelope} 120c 220a4261636b67726f756e64`.replaceAll(' ', ''), 'hex');
    expect(isDryRun(path, bodyOf(dry, 'application/vnd.kubernetes.protobuf'))).toBe(true);
    expect(isDryRun(path, bodyOf(plain, 'application/vnd.kubernetes.protobuf'))).toBe(false);
    expect(isDryRun(path, bodyOf('{"dryRun":["All"'))).toBe(true);
    expect(isDryRun(path, bodyOf('no options'))).toBe(false);
  });
});

describe('warnings of an answer', () => {
  const context = (resource: string, protocol = 'kubernetes'): ExchangeContext =>
    ({ role: { protocol }, info: { resource } }) as unknown as ExchangeContext;
  const answer = (...values: string[]): Exchange['response'] =>
    ({ fields: ['Audit-Id', 'x', ...values.flatMap((value) => ['Warning', value])] }) as Exchange['response'] & object;
  const warned = (...values: string[]): readonly string[] => warningsIn(answer(...values), context('pods'));

  it('are the texts of its Warning fields, quotes and all', () => {
    expect(warned('299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"')).toEqual([
      'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    ]);
    expect(warned('299 - "one"', '299 - "would violate PodSecurity \\"restricted:latest\\""')).toEqual([
      'one',
      'would violate PodSecurity "restricted:latest"',
    ]);
    expect(warned('299 - "one", 299 - "two"')).toEqual(['one', 'two']);
  });

  it("are none where there are none, or none of the API server's", () => {
    expect(warningsIn(null, context('pods'))).toEqual([]);
    expect(warningsIn(answer('299 - "x"'), context('secrets'))).toEqual([]);
    expect(warningsIn(answer('299 - "x"'), context('pods', 'registry'))).toEqual([]);
    expect(warned('110 - "response is stale"', 'no warning', '299 - "cut')).toEqual([]);
    expect(warned(...Array.from({ length: 100 }, () => '299 - "again"'))).toHaveLength(16);
  });
});

describe('why a request was refused', () => {
  const told = (reason: string, message: string, body: Body | null = null, resource = 'pods'): string | undefined =>
    failureReason({ reason, message } as StatusInfo, { info: { resource } } as unknown as ExchangeContext, body);

  it('or why a kubelet could not be reached: its address and an error, but no query of an exec', () => {
    const logs =
      'Get "https://192.0.2.21:10250/containerLogs/default/web/web?follow=true": dial tcp 192.0.2.21:10250: i/o timeout';
    expect(told('', logs)).toBe(logs);
    const dialing =
      'error dialing backend: tls: failed to verify certificate: x509: certificate signed by unknown authority';
    expect(told('', dialing)).toBe(dialing);
    expect(told('', 'Get "https://192.0.2.21:10250/run/default/web/web?cmd=secret": EOF')).toBeUndefined();
    expect(told('', 'the secret is x')).toBeUndefined();
  });

  it('in words that repeat nothing that was sent', () => {
    expect(told('NotFound', 'pods "web" not found')).toBe('pods "web" not found');
    expect(told('BadRequest', 'the value swordfish is none')).toBeUndefined();
    const strict = (field: string): string =>
      `Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: ${field}`;
    for (const said of ['unknown field "spec.template.spec.containers[0].imagee"', 'duplicate field "spec.replicas"'])
      expect(told('BadRequest', strict(said))).toBe(strict(said));
    expect(told('BadRequest', strict('unknown field "spec.a", unknown field "spec.b"'))).toBeDefined();
    expect(told('BadRequest', strict('quantities must match swordfish'))).toBeUndefined();
  });

  it("in a policy's own words, but not about Secrets", () => {
    const said = `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'few' with binding 'few' denied request: no more than five replicas`;
    expect(told('Invalid', said)).toBe(said);
    expect(told('Invalid', said, null, 'secrets')).toBeUndefined();
  });

  it('of what is invalid only which fields, and in what way', () => {
    const causes = [
      { reason: 'FieldValueInvalid', message: 'Invalid value: "swordfish"', field: 'spec.clusterIPs[0]' },
      { reason: 'FieldValueForbidden', message: 'may not change', field: 'spec' },
    ];
    const body = (list: readonly object[]): Body =>
      bodyOf(JSON.stringify({ kind: 'Status', details: { causes: list } }));
    expect(told('Invalid', 'swordfish', body(causes))).toBe(
      'spec.clusterIPs[0] (FieldValueInvalid), spec (FieldValueForbidden)',
    );
    expect(told('Invalid', 'swordfish', body([{ message: 'swordfish' }]))).toBeUndefined();
    expect(told('Invalid', 'swordfish', body(Array.from({ length: 20 }, () => causes[1])))).toMatch(/, 12 more$/);
    expect(told('Invalid', 'swordfish')).toBeUndefined();
  });
});
