import { describe, expect, it } from 'vitest';
import type { RequestHead, ResponseHead } from '../../http/http-event.js';
import { bodyFraming } from './framing.js';

const asked = (target: string, method = 'GET'): RequestHead => ({
  kind: 'request-head',
  version: '1.1',
  method,
  target,
  fields: [],
  partial: [],
});
const answered = (status: number, ...fields: string[]): ResponseHead => ({
  kind: 'response-head',
  version: '1.1',
  status,
  fields,
  partial: [],
});

const PODS = '/api/v1/namespaces/default/pods';

describe('logs', () => {
  it.each([
    [`${PODS}/nginx/log?container=nginx&follow=true`, 'log'],
    [`${PODS}/nginx/log?follow=1`, 'log'],
    ['/containerLogs/default/nginx/nginx?follow=true', 'log'],
    ['/v1.41/containers/web/logs?follow=1&stdout=1', 'docker-stream'],
    [`${PODS}/nginx/log?container=nginx`, 'whole'],
    [`${PODS}/nginx/log?follow=false`, 'whole'],
    ['/containerLogs/default/nginx/nginx', 'whole'],
    ['/v1.41/containers/web/json?follow=1', 'whole'],
    [`${PODS}/nginx?follow=true`, 'whole'],
  ])('%s: %s', (target, framing) => {
    expect(bodyFraming(asked(target), answered(200, 'content-type', 'text/plain'), 'server')).toBe(framing);
  });

  it('that were refused, or are a request of their own, are bodies', () => {
    const target = `${PODS}/nginx/log?follow=true`;
    expect(bodyFraming(asked(target), answered(404), 'server')).toBe('whole');
    expect(bodyFraming(asked(target, 'POST'), answered(200), 'server')).toBe('whole');
    expect(bodyFraming(asked(target), null, 'client')).toBe('whole');
  });
});

describe('watches and gRPC', () => {
  it.each([
    [`${PODS}?watch=true`, 'messages'],
    [`${PODS}/nginx/exec?command=ls`, 'whole'],
  ])('over a WebSocket: %s', (target, framing) => {
    expect(bodyFraming(asked(target), answered(101, 'upgrade', 'websocket'), 'server')).toBe(framing);
  });

  it.each([
    ['GET', `${PODS}?watch=true`, 'application/json', 'json-documents'],
    ['GET', `${PODS}?watch=true`, 'application/vnd.kubernetes.protobuf;stream=watch', 'length-prefixed'],
    ['GET', `${PODS}?watch=true`, 'application/cbor-seq', 'cbor-sequence'],
    ['GET', `${PODS}`, 'application/json', 'whole'],
    ['POST', '/etcdserverpb.KV/Range', 'application/grpc', 'grpc'],
  ])('%s %s %s: %s', (method, target, type, framing) => {
    expect(bodyFraming(asked(target, method), answered(200, 'content-type', type), 'server')).toBe(framing);
  });
});
