import { describe, expect, it } from 'vitest';
import { fixture, fixtureLines } from '../../../test/kit/fixtures.js';
import { type Message, observe } from '../../index.js';

async function decode(name: string, bodies: boolean): Promise<Message[]> {
  const messages: Message[] = [];
  const bytes = (async function* () {
    yield fixture(name);
  })();
  for await (const batch of observe([bytes], { bodies }))
    for (const item of batch) if (item.kind === 'message') messages.push(item.message);
  return messages;
}

type Json = Record<string, unknown>;
const record = (value: unknown): Json => value as Json;

describe('details of a real capture', async () => {
  const messages = await decode('run-nginx-http1/capture.pcap', true);

  it('are there only where they were requested', async () => {
    const bare = await decode('run-nginx-http1/capture.pcap', false);
    expect(bare.length).toBe(messages.length);
    expect(bare.some((message) => message.details !== undefined)).toBe(false);
  });

  it('have a body for each watch event: the object of the message, whole', () => {
    const events = messages.filter((message) => message.kind === 'event');
    expect(events.length).toBe(
      fixtureLines('run-nginx-http1/capture.truth.jsonl').filter((one) => one['kind'] === 'watch-event').length,
    );
    for (const { details, type, object } of events) {
      const body = record(details?.body());
      expect(body['type']).toBe(type);
      const shown = record(body['object']);
      expect([shown['kind'], shown['apiVersion']]).toEqual([object?.kind, object?.apiVersion]);
      const metadata = record(shown['metadata']);
      expect(metadata['name'] ?? null).toBe(object?.name);
      expect(metadata['resourceVersion']).toBe(object?.resourceVersion);
    }
  });

  it('have the body of every request and response that carries an object', () => {
    const carrying = messages.filter((one) => (one.kind === 'request' || one.kind === 'response') && one.object);
    expect(carrying.length).toBeGreaterThan(200);
    for (const { details, object } of carrying) expect(record(details?.body())['kind']).toBe(object?.kind);
  });

  it('have the fields of a head as they came', () => {
    const request = messages.find((one) => one.kind === 'request' && one.from.name === 'kubectl') as Message;
    const fields = new Map(request.details?.fields());
    expect(fields.get('User-Agent')).toBe(request.userAgent);
    expect(fields.get('Host')).toBe('192.0.2.10:8080');
    expect(messages.find((one) => one.kind === 'event')?.details?.fields()).toEqual([]);
  });

  it('have text where the API server reports on itself', () => {
    const health = messages.filter((one) => /\/(?:readyz|livez|healthz)/.test(one.target ?? ''));
    const exchanges = new Set(health.map((one) => one.exchange));
    const answers = messages.filter((one) => one.kind === 'response' && exchanges.has(one.exchange));
    for (const one of answers) expect(['ok', undefined]).toContain(one.details?.body());
  });
});

describe('details of a capture of errors', async () => {
  const messages = await decode('errors-http1/capture.pcap', true);

  it('of a body that is no JSON give its size alone', () => {
    const broken = messages.filter((one) => Object.hasOwn(Object(one.details?.body()), '$bytes'));
    expect(broken.map((one) => one.label)).toEqual(['[REQ] POST /api/v1/namespaces/default/pods']);
    const length = new Map(broken[0].details?.fields()).get('Content-Length');
    expect(broken[0].details?.body()).toEqual({ $bytes: Number(length), $contentType: 'application/json' });
  });

  it('decode YAML as JSON', () => {
    const yaml = messages.filter((one) => new Map(one.details?.fields()).get('Content-Type')?.includes('yaml'));
    expect(yaml.length).toBeGreaterThan(0);
    for (const one of yaml) expect(record(one.details?.body())['kind']).toBe(one.object?.kind);
  });
});
