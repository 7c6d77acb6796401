// Remote calls of etcd and container runtimes, whose values are objects or sizes.

import { describe, expect, it } from 'vitest';
import { RULES } from '../../../test/kit/body-rules.js';
import type { ObjectContext } from '../objects.js';
import type { ShownValue } from '../shown.js';
import { parseFieldChoice } from './field-choice.js';
import { showObject } from './show-object.js';

const CANARY = 'canary4711';
const show = (value: unknown, context: ObjectContext = {}, fields: string[] = []): ShownValue | undefined =>
  showObject(value, context, { ...RULES, fields: parseFieldChoice(fields).choice });
const hidden = (_length: number): string => 'REDACTED';
const C = hidden(CANARY.length);

describe('remote calls', () => {
  it('of etcd, whose values are objects or sizes', () => {
    const response = (value: unknown): object => ({
      header: { revision: 7 },
      kvs: [{ key: '/registry/pods/default/web', mod_revision: 7, value, lease: '7587848' }],
      count: 1,
    });
    const pod = (other: string): object => ({ apiVersion: 'v1', kind: 'Pod', spec: { nodeName: 'n', other } });
    const message = 'etcdserverpb.RangeResponse';
    expect(show(response(pod(CANARY)), { message })).toEqual(response(pod(C)));
    expect(show(response({ $bytes: 12 }), { message })).toEqual(response({ $bytes: 12 }));
    expect(show(response(CANARY), { message })).toEqual(response(C));
    expect(show({ name: 'root', password: CANARY }, { message: 'etcdserverpb.AuthenticateRequest' })).toMatchObject({
      name: 'root',
    });
  });

  it('of the Docker API: a container, whose Cmd is arguments where it has an Entrypoint', () => {
    const container = (command: string, env: string, value: string): object => ({
      Id: '3bdbc9c103f3',
      Names: ['/web'],
      State: { Status: 'running', ExitCode: 0, StartedAt: '2026-11-21T04:36:35Z' },
      Command: command,
      Config: { Image: 'nginx', Env: [env], Cmd: ['sh', '(2 arguments)'] },
      HostConfig: { LogConfig: { Config: { key: value } }, Binds: ['/a:/b:ro'] },
      NetworkSettings: { Networks: { bridge: { IPAddress: '198.19.0.2', DriverOpts: { a: value } } } },
      Other: value,
    });
    const out = show(container(`nginx -g ${CANARY}`, `TOKEN=${CANARY}`, CANARY), { api: 'docker' });
    expect(out).toEqual(container('nginx (2 arguments)', 'TOKEN=REDACTED', C));
    const started = { Config: { Entrypoint: ['/app'], Cmd: ['sh', CANARY] } };
    expect(show(started, { api: 'docker' })).toEqual({ Config: { Entrypoint: ['/app'], Cmd: ['(2 arguments)'] } });
  });
});
