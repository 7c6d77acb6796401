import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { message } from '../../../test/kit/messages.js';
import { compileWhere, WHERE_FIELDS } from './where.js';

const created = message({ kind: 'request', verb: 'create', resource: 'pods', namespace: 'default', name: 'nginx' });
const answer = message({ kind: 'response', status: 409, latencyMs: 7.5, object: { kind: 'Pod', namespace: 'team-a' } });

describe('compileWhere', () => {
  it.each([
    ['verb == "create" && resource == "pods"', true],
    ['namespace == "default"', true],
    ['name == "namespace"', false],
    ['name.startsWith("ng")', true],
    ['status == 409', false],
    ['status == 409 || verb == "create"', true],
    ['from == "kubectl" && to == "kube-apiserver"', true],
    ['frames[0] == 1', true],
    ['object.kind == "Pod"', false],
    ['type(status) == int', false],
    ['kind == "event" && type == "ADDED"', false],
  ])('%s on a request: %s', (expression, expected) => {
    expect(compileWhere(expression)(created, created)).toBe(expected);
  });

  it.each([
    ['rpcMethod == "Txn" && succeeded && revision == "712"', true],
    ['key.startsWith("/registry/pods/")', true],
    ['service == "etcdserverpb.Lease" || grpcStatus != 0', false],
  ])('%s on the answer of a call: %s', (expression, expected) => {
    const call = { protocol: 'etcd', service: 'etcdserverpb.KV', rpcMethod: 'Txn' } as const;
    const asked = message({ ...call, kind: 'request', key: '/registry/pods/default/nginx' });
    const told = message({ ...call, kind: 'response', grpcStatus: 0, revision: '712', succeeded: true });
    expect(compileWhere(expression)(told, asked)).toBe(expected);
  });

  it.each([
    ['status >= 400', true],
    ['verb == "create"', true],
    ['latencyMs > 5', true],
    ['object.namespace == "team-a"', true],
    ['status in [404, 409]', true],
    ['status == 404', false],
  ])('%s on its answer, which sees the request too: %s', (expression, expected) => {
    expect(compileWhere(expression)(answer, created)).toBe(expected);
  });

  it.each([
    ['a nested quantifier', 'target.matches("^(([a-zA-Z0-9/])+)+$")', false],
    ['a nested quantifier behind a comment', "// '\ntarget.matches('^(([a-zA-Z0-9/])+)+$') // '", false],
    ['a nested quantifier of a value that is not typed', 'dyn(target).matches("^(([a-zA-Z0-9/])+)+$")', false],
    ['an alternative within', 'target.matches("^(/|/a|a)+/api")', false],
    ['flags and classes', 'target.matches("(?i)^/API/[[:alnum:]]+/a{3}")', true],
    ['no anchors', 'target.matches("v1/a+a!")', true],
  ])('answers %s within a second', (_, expression, expected) => {
    const got = message({ kind: 'request', target: `/api/v1/${'a'.repeat(5000)}!` });
    const started = performance.now();
    expect(compileWhere(expression)(got, got)).toBe(expected);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it.each(['(?=a)', '(a)\\\\1', '(', 'a{1001}'])('says that RE2 does not have %s', (pattern) => {
    expect(() => compileWhere(`name.matches("${pattern}")`)(created, created)).toThrow(
      /Invalid regular expression.*RE2/,
    );
  });

  it('names matches as it was written', () => {
    expect(() => compileWhere('name.matches(1)')).toThrow("'string.matches(int)'");
  });

  const LETTERS = 'target.split("")';
  it.each([
    ['all', `${LETTERS}.all(a, ${LETTERS}.all(b, ${LETTERS}.all(c, a != "?")))`],
    ['exists', `${LETTERS}.exists(a, ${LETTERS}.exists(b, ${LETTERS}.exists(c, a == "?")))`],
    ['exists_one', `${LETTERS}.exists_one(a, ${LETTERS}.exists_one(b, ${LETTERS}.exists_one(c, a == "?")))`],
    ['map', `${LETTERS}.map(a, ${LETTERS}.map(b, ${LETTERS}.map(c, a))).size() > 0`],
    ['filter', `${LETTERS}.all(x, ${LETTERS}.filter(a, ${LETTERS}.filter(b, b == x).size() > 0).size() > 0)`],
    ['a text that doubles', `[target]${'.map(x, x + x)'.repeat(40)}.size() > 0`],
    ['a list that doubles', `[[target]]${'.map(x, x + x)'.repeat(40)}.size() > 0`],
    [
      'a tree that doubles',
      `[[target]]${'.map(x, [[x, x]][0])'.repeat(40)} == [[target]]${'.map(x, [[x, x]][0])'.repeat(40)}`,
    ],
    ['a bound name', `${LETTERS}.all(x, cel.bind(l, ${LETTERS}, l.all(y, l.all(z, z != "?"))))`],
    [
      'a pattern in a loop',
      `${LETTERS}.exists(x, ${LETTERS}.exists(y, target.matches("(a{500}|b{400}|[a-z]{300})+$" + x)))`,
    ],
    ['a condition', `true ? ${LETTERS}.all(a, ${LETTERS}.all(b, ${LETTERS}.all(c, a != "?"))) : false`],
  ])('ends where a loop takes too many steps: %s', (_, expression) => {
    const got = message({ kind: 'request', target: `/api/v1/${'ab'.repeat(2500)}!` });
    const matches = compileWhere(expression);
    const started = performance.now();
    expect(() => matches(got, got)).toThrow(/at message \d+: it takes more than 100000 steps/);
    expect(performance.now() - started).toBeLessThan(1000);
    // The next message has steps of its own.
    expect(compileWhere('via.all(x, x != "?")')(got, got)).toBe(true);
  });

  it('reports mistakes in one line', () => {
    expect(() => compileWhere('verb ==')).toThrow(/^[^\n]+$/);
    expect(() => compileWhere('namespce == "x"')).toThrow('Unknown variable: namespce');
  });

  it.each([
    ['what gives no answer', 'verb', /^it is of type string, not true or false; compare it/],
    ['a number', 'status + 1', /^it is of type int/],
    [
      'a number compared with a text',
      'status == "409"',
      /^no such overload: int == string; compare numbers with numbers/,
    ],
    ['a text compared with a number', 'name > 3', /^no such overload: string > int/],
    ['a whole number for one that is not', 'latencyMs == 5', /^no such overload: double == int; .*5\.0/],
    ['a call with the wrong type', 'name.startsWith(1)', /^found no matching overload for 'string.startsWith\(int\)'/],
    ['a call that is none', 'begins(name)', /^found no matching overload for 'begins\(string\)'/],
    ['a member of a text', 'verb.name == "x"', /^Cannot index type/],
    ['a list of others', 'verb in [1, 2]', /^no such overload: string in list<int>/],
  ])('%s is refused before the first message: %s', (_, expression, message) => {
    expect(() => compileWhere(expression)).toThrow(message);
    expect(() => compileWhere(expression)).toThrow(/^[^\n]+; [^\n]+$/);
  });

  it.each([
    ['what gives no answer', 'object.kind', /^at message \d+: it is of type string, not true or false/],
    ['a text compared with a number', 'object.kind > 3', /^at message \d+: no such overload: .*; compare numbers/],
    ['the same in front of an answer', 'object.kind > 3 || status == 1', /^at message \d+: no such overload/],
    ['a call with the wrong type', 'object.kind.startsWith(1)', /^at message \d+: found no matching overload/],
    ['a text as an answer', 'object.kind && status == 409', /^at message \d+: Logical operator requires bool/],
    ['what cannot be done', '1 / 0 == status', /^at message \d+: division by zero/],
    ['a pattern that is none', 'object.kind.matches("(")', /^at message \d+: Invalid regular expression/],
  ])('%s is refused at the first message that shows it: %s', (_, expression, message) => {
    const matches = compileWhere(expression);
    expect(() => matches(answer, created)).toThrow(message);
    expect(() => matches(answer, created)).toThrow(/^[^\n]+; [^\n]+$/);
  });

  const node = message({ kind: 'response', object: { kind: 'Node', namespace: null, name: null }, problems: [] });
  it.each([
    ['object.namespace == null', true],
    ['object.namespace.startsWith("team")', false],
    ['object.namespace > "a"', false],
    ['object.name.matches("^web") || object.kind == "Node"', true],
    ['object.uid == "x"', false],
    ['object.owners.exists(one, one.kind == "X")', false],
    ['problems[0].reason == "OOMKilled"', false],
    ['problems.exists(one, one.exitCode == 3)', false],
    ['frames[2] == 7', false],
    ['initial', false],
    ['!initial', false],
  ])('what is not there is no match and no error: %s', (expression, expected) => {
    expect(compileWhere(expression)(node, undefined)).toBe(expected);
  });

  const event = message({
    ...{
      kind: 'event',
      time: 1_795_234_407_123_456_789n,
      started: 1_795_234_405_000_000_000n,
      capture: 1,
      lastCapture: 0,
    },
    ...{ inferred: ['verb'], statusMessage: 'pods "web" already exists' },
    appliedFor: { resource: 'applications', apiGroup: 'argoproj.io', namespace: '', name: 'shop' },
    translated: [{ connection: '10.0.0.1:1-10.0.0.2:2', capture: 0, frames: [3, 4] }],
  });
  it.each([
    ['time > timestamp("2026-11-21T04:13:27Z")', true],
    ['time > timestamp("2026-11-21T04:13:27.124Z")', false],
    ['time - started > duration("2s")', true],
    ['"verb" in inferred', true],
    ['statusMessage.contains("already")', true],
    ['appliedFor.name == "shop"', true],
    ['capture == "b.pcap" && lastCapture == "a.pcap"', true],
    ['translated.exists(one, one.frames[0] == 3 && one.capture == "a.pcap")', true],
  ])('%s of an event: %s', (expression, expected) => {
    expect(compileWhere(expression, () => ['a.pcap', 'b.pcap'])(event, undefined)).toBe(expected);
  });

  it('a capture has a name where there are several', () => {
    expect(compileWhere('capture != ""')(event, undefined)).toBe(false);
  });

  it('has all fields of the schema, but what --bodies adds', () => {
    const schema = JSON.parse(
      readFileSync(new URL('../../../docs/schema/message.schema.json', import.meta.url), 'utf8'),
    ) as { readonly properties: Readonly<Record<string, unknown>> };
    const fields = Object.keys(schema.properties).filter((field) => field !== 'headers' && field !== 'body');
    expect([...WHERE_FIELDS].sort()).toEqual(fields.sort());
  });
});
