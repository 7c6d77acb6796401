// Plants secrets in requests to a docker engine.

import { base64 } from '../secrets.js';
import { json, OK, of } from './kit.js';

export async function dockerEngine({ docker, run }) {
  const s = of('docker engine');
  const at = '/v1.50';
  const created = { status: 201, body: json({ Id: 'c0ffee', Warnings: [] }) };
  for (const method of ['HEAD', 'GET'])
    await docker({
      method,
      target: '/_ping',
      answer: { headers: { 'Api-Version': '1.50' }, type: 'text/plain', body: method === 'GET' ? 'OK' : '' },
    });
  const client = (...args) =>
    run('docker', ['-H', 'tcp://10.0.0.11:2375', ...args], { env: { DOCKER_CONFIG: '/nonexistent' } });
  docker.arrange('POST', `${at}/containers/create?name=db`, created);
  await client(
    ...[
      'create',
      '--name',
      'db',
      '-e',
      `MYSQL_PW=${s('docker create -e')}`,
      '--label',
      `note=${s('docker create --label', 'phrase')}`,
    ],
    ...[
      '--add-host',
      `${s('docker create --add-host', 'hex')}.example:10.0.0.1`,
      '-w',
      `/srv/${s('docker create -w', 'token')}`,
    ],
    ...[
      '--health-cmd',
      `check ${s('docker create --health-cmd')}`,
      '--log-opt',
      `splunk-token=${s('docker create --log-opt', 'uuid')}`,
    ],
    ...['mysql:8', 'mysqld', `--init=${s('docker create, command')}`],
  );
  docker.arrange('GET', `${at}/containers/db/json`, {
    body: json({ Id: 'c0ffee', Name: '/db', Config: {}, State: { Running: true } }),
  });
  docker.arrange('POST', `${at}/containers/db/exec`, created);
  docker.arrange('POST', `${at}/exec/c0ffee/start`, OK);
  await client(
    'exec',
    '-d',
    '-e',
    `TOKEN=${s('docker exec -e', 'token')}`,
    'db',
    'mysql',
    `-p${s('docker exec, command', 'short')}`,
  );
  await client('exec', '-d', 'db', 'sh', '-c', `echo ${s('docker exec, phrase', 'phrase')} > /x`);
  await docker({
    method: 'POST',
    target: `${at}/auth`,
    body: { username: 'bot', password: s('docker login'), serveraddress: 'r' },
    answer: { body: json({ Status: 'ok', IdentityToken: s('identity token', 'jwt') }) },
  });
  await docker({
    target: `${at}/containers/c0ffee/json`,
    answer: {
      body: json({
        Id: 'c0ffee',
        Path: 'app',
        Args: ['--key', s('inspect, Args')],
        Config: {
          Env: [`A=${s('inspect, Env')}`],
          Cmd: ['x', s('inspect, Cmd', 'hex')],
          Labels: { l: s('inspect, label') },
          Healthcheck: { Test: ['CMD', s('inspect, health check', 'token')] },
        },
        State: {
          Error: `login ${s('inspect, error')} failed`,
          Health: { Log: [{ ExitCode: 1, Output: `bad word ${s('inspect, output of a health check', 'short')}` }] },
        },
        HostConfig: {
          Binds: [`/srv/${s('inspect, bind', 'uuid')}:/x`],
          LogConfig: { Config: { token: s('inspect, log option') } },
        },
      }),
    },
  });
  await docker({
    target: `${at}/containers/c0ffee/top`,
    answer: { body: json({ Titles: ['PID', 'CMD'], Processes: [['1', `app --pin ${s('top', 'number')}`]] }) },
  });
  await docker({
    target: `${at}/events?since=1`,
    answer: {
      body: `${json({ Type: 'container', Action: `exec_create: sh -c login ${s('events, action')}`, Actor: { ID: 'c0ffee', Attributes: { execDuration: '1', cred: s('events, attribute') } } })}\n`,
    },
  });
  await docker({
    target: `${at}/containers/c0ffee/logs?stdout=1`,
    answer: { type: 'application/vnd.docker.raw-stream', body: `started with ${s('logs')}\n` },
  });
  await docker({
    method: 'POST',
    target: `${at}/containers/create`,
    body: { Image: 'a', Env: ['A=b'] },
    answer: { status: 400, body: json({ message: `invalid environment variable: ${s('message of an error')}` }) },
  });
  await docker({
    method: 'POST',
    target: `${at}/images/create?fromImage=a`,
    answer: {
      body: `${json({ status: 'Pulling' })}\n${json({ error: `Get "https://u:${s('progress, error', 'token')}@r/v2/": EOF`, errorDetail: { message: `token ${s('progress, error detail', 'hex')} expired` } })}\n`,
    },
  });
  await docker({
    target: `${at}/images/a/history`,
    answer: {
      body: json([
        { Id: 'x', CreatedBy: `RUN |1 TOKEN=${s('history, argument')} /bin/sh -c make` },
        { Id: 'y', CreatedBy: `/bin/sh -c curl -u a:${s('history, RUN')} x` },
      ]),
    },
  });
  await docker({
    target: `${at}/info`,
    answer: {
      body: json({ HttpProxy: `http://u:${s('info, proxy')}@p:3128`, Labels: [`k=${s('info, label', 'short')}`] }),
    },
  });
  await docker({
    method: 'POST',
    target: `${at}/secrets/create`,
    body: { Name: 's', Data: base64(s('secrets/create')) },
    answer: created,
  });
  await docker({
    method: 'POST',
    target: `${at}/volumes/create`,
    body: { Name: 'v', DriverOpts: { o: `password=${s('volume, option')}` } },
    answer: created,
  });
  await docker({
    method: 'POST',
    target: `${at}/swarm/join`,
    body: { JoinToken: s('swarm join', 'token'), RemoteAddrs: ['x'] },
    answer: OK,
  });
  await docker({ method: 'POST', target: `${at}/plugins/p/set`, body: [`KEY=${s('plugin setting')}`], answer: OK });
}
