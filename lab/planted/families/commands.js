// Plants secrets in commands and their arguments.

import { base64 } from '../secrets.js';
import { NS, of, pod, ways } from './kit.js';

export async function commands(tools) {
  const { kubectl, api, post, create } = ways(tools);
  const s = of('commands');
  const exec = (...command) => kubectl(['exec', '-n', NS, 'web-0', '--', ...command]);
  await exec('app', `--password=${s('exec, --password=…')}`);
  await exec('mysql', '-uroot', `-p${s('exec, mysql -p…', 'short')}`, '-e', 'select 1');
  await exec('curl', '-u', `me:${s('exec, curl -u user:…', 'special')}`, 'https://internal.example/');
  await exec('sh', '-c', `TOKEN=${s('exec, sh -c with a variable', 'token')} ./run --all`);
  await exec('psql', `postgres://app:${s('exec, connection string', 'password')}@db.shop:5432/orders`);
  await exec('curl', '-H', `X-Api-Key: ${s('exec, curl -H', 'hex')}`, 'http://db/');
  await exec('env', `SECRET=${s('exec, env NAME=value')}`, 'app');
  await exec('redis-cli', '-a', s('exec, redis-cli -a', 'short'), 'ping');
  await exec('sh', '-c', `echo '${s('exec, pass phrase to passwd', 'phrase')}' | passwd --stdin root`);
  await exec('aws', 'configure', 'set', 'aws_secret_access_key', s('exec, aws configure', 'awsSecret'));
  await exec('vault', 'login', s('exec, vault login', 'uuid'));
  await exec('openssl', 'enc', '-aes-256-cbc', '-k', s('exec, openssl -k', 'phrase'), '-in', 'f');
  await exec('sh', '-c', `echo ${base64(s('exec, base64 in a script'))} | base64 -d > /run/key`);
  await exec('sh', '-c', `cat > /etc/app.ini <<E\n[db]\npassword = ${s('exec, here document')}\nE`);
  await exec('htpasswd', '-b', '/etc/users', 'ann', s('exec, htpasswd', 'short'));
  await exec('login', s('exec, bare argument', 'number'));
  await kubectl(['attach', '-n', NS, 'web-0', '-c', 'app']);
  const at = `/api/v1/namespaces/${NS}/pods/web-0`;
  await api({
    method: 'POST',
    target: `${at}/exec?command=env&env=TOKEN%3D${s('exec, env= of the query', 'hex')}&stdout=true`,
  });
  await post(
    `${at}/exec?command=sh&command=-c&command=${encodeURIComponent(`P='${s('exec, twice encoded', 'special')}'; run`).replaceAll('%', '%25')}`,
  );
  await kubectl([
    ...[
      'run',
      'once',
      '-n',
      NS,
      '--image=registry.example/job:1',
      `--env=DB_PASS=${s('run --env')}`,
      '--restart=Never',
    ],
    ...['--command', '--', 'migrate', '--api-token', s('run, argument', 'token')],
  ]);
  await kubectl([
    ...['debug', 'web-0', '-n', NS, '--image=registry.example/tools:1', '--target=app', '-i=false', '-q'],
    ...['--', 'sh', '-c', `export K=${s('ephemeral container, command', 'awsSecret')}; exec probe`],
  ]);
  const probe = (command) => ({ exec: { command } });
  await create(
    pod(
      'commands',
      {
        command: ['server', '--db', `mysql://app:${s('container command')}@db/shop`],
        args: ['--admin-password', s('container args', 'short'), `--seed=${s('container args, phrase', 'phrase')}`],
        lifecycle: {
          postStart: probe(['sh', '-c', `curl -d key=${s('postStart', 'uuid')} http://registrar/`]),
          preStop: { httpGet: { port: 80, path: `/stop?key=${s('preStop, path of httpGet', 'hex')}` } },
        },
        livenessProbe: probe(['pg_isready', '-d', `password=${s('liveness probe')} user=app`]),
        readinessProbe: {
          httpGet: { port: 80, httpHeaders: [{ name: 'X-Probe', value: s('httpHeaders of a probe', 'uuid') }] },
        },
        startupProbe: probe(['check', s('startup probe', 'number')]),
      },
      {
        initContainers: [
          {
            name: 'init',
            image: 'registry.example/init:1',
            command: ['sh', '-c', `git clone https://bot:${s('init container, git clone')}@git.example/x`],
          },
        ],
      },
    ),
  );
}
