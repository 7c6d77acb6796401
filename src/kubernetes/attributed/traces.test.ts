import { expect, it } from 'vitest';
import { Traces } from './traces.js';

/** A `Traceparent` header field: version, trace id, id of the parent span, flags (W3C Trace Context). */
const traceparent = (trace: number, span = 1): string => `00-${hexadecimal(trace, 32)}-${hexadecimal(span, 16)}-01`;
const hexadecimal = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

it('finds the request by the trace id, though each call has a span of its own', () => {
  const traces = new Traces();
  traces.learn(traceparent(7, 1), 10);
  expect(traces.requestOf(traceparent(7, 2))).toEqual({ seq: 10, certain: true });
  expect(traces.requestOf(traceparent(8, 1))).toBeUndefined();
});

it('keeps the first request of a trace: an API server that is called while it serves one hands the trace on', () => {
  const traces = new Traces();
  traces.learn(traceparent(7), 10);
  traces.learn(traceparent(7), 11);
  expect(traces.requestOf(traceparent(7))?.seq).toBe(10);
});

it('stays uncertain once its first call was', () => {
  const traces = new Traces();
  traces.learn(traceparent(7), 10, false);
  traces.learn(traceparent(7), 10, true);
  expect(traces.requestOf(traceparent(7))).toEqual({ seq: 10, certain: false });
});

it.each([
  undefined,
  '',
  'no-trace',
  // A trace id of another length.
  '00-0123-0000000000000001-01',
])('learns nothing from %j', (field) => {
  const traces = new Traces();
  traces.learn(field, 10);
  expect(traces.requestOf(field)).toBeUndefined();
});

it('begins anew beyond 20,000 traces, and learns on', () => {
  const traces = new Traces();
  for (let trace = 1; trace <= 20_000; trace += 1) traces.learn(traceparent(trace), trace);
  expect(traces.requestOf(traceparent(1))?.seq).toBe(1);
  traces.learn(traceparent(20_001), 20_001);
  expect(traces.requestOf(traceparent(1))).toBeUndefined();
  expect(traces.requestOf(traceparent(20_001))?.seq).toBe(20_001);
});
