// Plants secrets in traffic of applications.

import { gzipSync } from 'node:zlib';
import { json, of } from './kit.js';

/** Gzipped answers and others that the framing has a part in. */
export async function applications({ app }) {
  const s = of('applications');
  const gzipped = (body) => ({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body) });
  await app({ target: '/feed', answer: gzipped(json({ items: [{ word: s('gzipped answer') }] })) });
  await app({
    target: '/report',
    answer: { type: 'text/html', body: `<input name=csrf value="${s('HTML', 'hex')}">` },
  });
  await app({
    method: 'POST',
    target: '/graphql',
    body: { query: `mutation{login(word:"${s('GraphQL')}"){t}}` },
    answer: { body: json({ data: { t: s('GraphQL, answer', 'jwt') } }) },
  });
  await app({
    method: 'POST',
    target: '/rpc',
    body: { jsonrpc: '2.0', params: [s('JSON-RPC, parameter', 'special')] },
    answer: { status: 500, body: json({ error: `no ${s('JSON-RPC, error', 'phrase')}` }) },
  });
  await app({
    target: '/kind',
    answer: { body: json({ apiVersion: 'v1', kind: 'Config', word: s('object that calls itself one of Kubernetes') }) },
  });
  await app({
    target: '/status',
    answer: {
      status: 500,
      body: json({
        apiVersion: 'v1',
        kind: 'Status',
        status: 'Failure',
        reason: 'Forbidden',
        code: 403,
        message: `pods "${s('Status of an application')}" is forbidden`,
      }),
    },
  });
  await app({
    target: '/lines',
    answer: { type: 'application/x-ndjson', body: `${json({ a: s('line of NDJSON') })}\n` },
  });
}
