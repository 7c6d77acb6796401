// The verdict of a webhook: a field of the answer, and in its label with its reason, but not where a Secret is judged.

import { describe, expect, it } from 'vitest';
import { decode } from '../kit/diagrams.js';
import { conversation, packets, pcap } from '../kit/packetiser.js';
import { observeWhole } from '../kit/whole-fixtures.js';

describe('the verdict of a webhook', () => {
  /** @param lost whether the review itself was not captured. */
  async function verdictLabel(resource: string, message: string, lost = false): Promise<string | undefined> {
    const review = (more: object): string =>
      JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', ...more });
    const asks = review({ request: { operation: 'CREATE', resource: { resource, version: 'v1' }, name: 'a' } });
    const says = review({ response: { allowed: false, status: { message } } });
    const head = 'POST /hook HTTP/1.1\r\nHost: hook.ops.svc:443\r\nUser-Agent: kube-apiserver-admission';
    const sized = (body: string): string => `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const sent = conversation([
      { from: 'client', bytes: `${head}\r\n${sized(asks)}` },
      { from: 'client', bytes: asks },
      { from: 'server', bytes: `HTTP/1.1 200 OK\r\n${sized(says)}${says}` },
    ]);
    const { messages } = await decode(
      pcap(packets(lost ? sent.filter(({ payload }) => Buffer.from(payload ?? '').toString() !== asks) : sent)),
    );
    expect(messages.map((one) => one.to.name)).toEqual(['webhook hook.ops.svc', 'kube-apiserver']);
    expect(messages.map(({ verdict }) => verdict)).toEqual([undefined, 'denied']);
    return messages[1].label;
  }

  it('has its reason', async () => {
    expect(await verdictLabel('pods', 'no latest tags')).toBe('[RESP] 200 OK, denied: no latest tags');
  });

  it('has none where a Secret is judged', async () => {
    expect(await verdictLabel('secrets', 'password hunter2 is too weak')).toBe('[RESP] 200 OK, denied');
  });

  it('has none where it is not known what is judged', async () => {
    expect(await verdictLabel('pods', 'password hunter2 is too weak', true)).toBe('[RESP] 200 OK, denied');
  });

  it('is redacted', async () => {
    const label = await verdictLabel('pods', 'token=hunter2 and Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln');
    expect(label).not.toMatch(/eyJ|c2ln|hunter2/);
    expect(label).toContain('denied: token=…');
  });
});

it.each([
  ['operator-tls', { 'allowed, with changes': 'allowed with changes' }],
  ['trouble-tls', {}],
])('%s: the field is what the label has', async (fixture, others) => {
  const { messages } = await observeWhole(fixture);
  const labels = messages.map(({ label, kind }) =>
    kind === 'response'
      ? /^\[RESP\] 200 OK, (allowed, with changes|allowed|denied|converted|not converted)/.exec(label)?.[1]
      : undefined,
  );
  const named: Readonly<Record<string, string>> = others;
  expect(messages.map(({ verdict }) => verdict)).toEqual(
    labels.map((label) => (label === undefined ? undefined : (named[label] ?? label))),
  );
  expect(new Set(labels).size).toBeGreaterThan(2);
});
