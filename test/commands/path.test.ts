// Critical paths of recorded objects, held against what the cluster itself said: conditions of Pods and Events of kubelets.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CriticalPath,
  criticalPaths,
  HistoryBuilder,
  type Message,
  messagesAbout,
  type ObjectHistory,
  parseFollow,
  pathReport,
  renderPathJson,
  reportMarkdown,
  reportText,
} from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { observeWhole } from '../kit/whole-fixtures.js';

interface Found {
  readonly messages: readonly Message[];
  readonly history: ObjectHistory;
  readonly paths: readonly CriticalPath[];
}

async function found(fixture: string, object: string, goal?: 'ready' | 'gone'): Promise<Found> {
  const { messages } = await observeWhole(fixture);
  const follow = parseFollow(object, 'default');
  if (follow === null) throw new Error(object);
  const builder = new HistoryBuilder(follow);
  for (const message of messages) builder.feed(message);
  const history = builder.result();
  return {
    messages,
    history,
    paths: criticalPaths(messages, history, { goal, story: messagesAbout(messages, follow) }),
  };
}

describe.each([
  ['run-nginx-http1', 'pod/nginx'],
  ['run-nginx-tls', 'pod/nginx'],
  ['not-starting-tls', 'pod/selector'],
  ['not-starting-tls', 'pod/unlive'],
  ['volumes-tls', 'pod/app'],
  ['deployment-tls', 'deployment/web'],
  ['not-starting-tls', 'job/once'],
])('%s, %s', (fixture, object) => {
  let is: Found;
  let path: CriticalPath;
  beforeAll(async () => {
    is = await found(fixture, object);
    [path] = is.paths;
  }, 60_000);

  it('is the whole, row by row, from message to message', () => {
    expect(is.paths).toHaveLength(1);
    expect(path.isReached).toBe(true);
    path.legs.slice(1).forEach(({ from }, i) => {
      expect(from.time).toBe(path.legs[i].to.time);
    });
    expect(path.legs.reduce((sum, { duration }) => sum + duration, 0n)).toBe(path.duration);
    const last = path.legs[path.legs.length - 1];
    expect(last.to.time - path.legs[0].from.time).toBe(path.duration);
    const seqs = new Set(is.messages.map(({ seq }) => seq));
    for (const { from, to } of path.legs) expect([seqs.has(from.seq), seqs.has(to.seq)]).toEqual([true, true]);
  });

  it('begins with the request that created the object', () => {
    const [{ from }] = path.legs;
    expect([from.kind, from.verb, from.resource]).toEqual(['request', 'create', path.resource]);
    expect(from.name ?? from.object?.name).toBe(object.split('/')[1]);
  });

  it('agrees within a second with the times that the conditions of the object have', () => {
    const own = conditionTimes(is.history);
    const goal = own.find(({ type, status }) => type === path.goal && status === 'True');
    const end = Number(path.legs[path.legs.length - 1].to.time) / 1e9;
    expect(Math.abs(end - (goal?.time ?? 0))).toBeLessThan(TOLERANCE);
    const scheduled = own.find(({ type, status }) => type === 'PodScheduled' && status === 'True');
    if (path.resource !== 'pods') return;
    const binding = path.legs.find(({ what }) => what === 'chooses a node')?.to;
    expect(Math.abs(Number(binding?.time) / 1e9 - (scheduled?.time ?? 0))).toBeLessThan(TOLERANCE);
  });
});

it('a pull takes as long as the kubelet says', async () => {
  const { messages, paths } = await found('run-nginx-tls', 'pod/nginx');
  const said = messages.find(({ k8sEvent }) => k8sEvent?.reason === 'Pulled')?.k8sEvent?.message ?? '';
  const pull = paths[0].legs.find(({ what }) => what === 'pulls the image');
  const ms = Number(/ in (\d+)ms/.exec(said)?.[1]);
  expect(Math.abs(Number(pull?.duration) / 1e6 - ms)).toBeLessThan(10);
});

it('an image that is there takes no pull', async () => {
  const { messages, paths } = await found('volumes-tls', 'pod/app');
  expect(messages.some(({ k8sEvent }) => k8sEvent?.reason === 'Pulling' && k8sEvent.name === 'app')).toBe(false);
  expect(paths[0].legs.map(({ what }) => what)).not.toContain('pulls the image');
});

it('names what a Pod waited for: a label of a node, and a volume that came 9.7 s later', async () => {
  const [selector] = (await found('not-starting-tls', 'pod/selector')).paths;
  expect(selector.legs[0]).toMatchObject({ who: 'pods/selector', what: 'waits until kubectl sends patch nodes' });
  const [lost] = (await found('volumes-tls', 'pod/lost')).paths;
  expect(lost.legs[0]).toMatchObject({ what: 'waits until kubectl sends create storageclasses' });
  expect(lost.warnings.some((line) => line.includes('unbound immediate PersistentVolumeClaims'))).toBe(true);
});

it('names the back-off of a kubelet, which grows from 10 s, where the image is not there', async () => {
  const [path] = (await found('not-starting-tls', 'pod/noimage')).paths;
  expect([path.isReached, path.goal]).toEqual([false, 'never Ready']);
  const waits = path.legs.filter(({ what }) => what.includes('back-off'));
  expect(waits.length).toBeGreaterThan(0);
  // The next is begun when the capture ends.
  expect(Math.max(...waits.map(({ duration }) => Number(duration) / 1e9))).toBeGreaterThan(10);
  expect(path.legs.some(({ what }) => what === 'pulls the image, which fails')).toBe(true);
});

it('calls a back-off only what follows the Event BackOff, until the next start', async () => {
  for (const pod of ['badcmd', 'noimage', 'denied', 'initfail']) {
    const { messages, paths } = await found('not-starting-tls', `pod/${pod}`);
    const [path] = paths;
    const about = messages.filter(({ k8sEvent }) => k8sEvent?.kind === 'Pod' && k8sEvent.name === pod);
    // A repeated Event stands in the answer.
    const exchanges = new Set(
      about.filter(({ k8sEvent }) => k8sEvent?.reason === 'BackOff').map(({ exchange }) => exchange),
    );
    const backOffs = messages.filter(({ kind, exchange }) => kind === 'request' && exchanges.has(exchange));
    expect(backOffs.length).toBeGreaterThan(0);
    const calls = messages.filter(
      ({ kind, name, rpcMethod = '' }) =>
        kind === 'request' &&
        name === pod &&
        ['PullImage', 'CreateContainer', 'StartContainer'].includes(rpcMethod ?? ''),
    );
    for (const { from, to, step } of path.legs) {
      const began = backOffs.findLast(({ time }) => time <= from.time);
      const hasStarted = calls.some(({ time }) => began !== undefined && time > began.time && time < to.time);
      if (step === 'back-off') expect([pod, began !== undefined && !hasStarted]).toEqual([pod, true]);
    }
    // Kubelets back off ten seconds at first.
    const waits = path.legs.filter(({ step }) => step === 'back-off').map(({ duration }) => Number(duration) / 1e9);
    expect([pod, Math.max(...waits) > 9]).toEqual([pod, true]);
  }
});

it('says of what never got ready why, and since when', async () => {
  const heads = async (pod: string): Promise<string> => {
    const { paths } = await found('not-starting-tls', `pod/${pod}`);
    return reportText(pathReport(paths, (await observeWhole('not-starting-tls')).first), 0).split('\n')[0];
  };
  // The kubelet's writes of the status: container noimage waiting: ErrImagePull from 8.609 on, badcmd RunContainerError from 7.565 on.
  expect(await heads('noimage')).toMatch(
    /^pods default\/noimage: never Ready: ErrImagePull and ImagePullBackOff since 8\.608652 s; followed for 30 s$/,
  );
  expect(await heads('badcmd')).toMatch(
    /^pods default\/badcmd: never Ready: RunContainerError and CrashLoopBackOff since 7\.565\d{3} s; /,
  );
  const [path] = (await found('not-starting-tls', 'pod/noimage')).paths;
  expect(path.stuck?.since.problems).toContainEqual(expect.objectContaining({ reason: 'ErrImagePull' }));
});

it('says of what was ready what went wrong afterwards, by its status, and nothing where it was deleted first', async () => {
  const { messages, paths } = await found('not-starting-tls', 'pod/crash');
  const [path] = paths;
  // The kubelet's first write of the status with a container that ended, after the one that reported it ready.
  const ended = messages.find(
    ({ kind, verb, resource, name, problems }) =>
      kind === 'request' && verb === 'patch' && resource === 'pods' && name === 'crash' && problems !== undefined,
  );
  expect(ended?.problems).toMatchObject([{ of: 'container crash', state: 'terminated', exitCode: 3 }]);
  expect(ended?.seq).toBeGreaterThan(path.legs.at(-1)?.to.seq ?? Infinity);
  expect(reportText(pathReport(paths, 0n), 0).split('\n')[0]).toMatch(
    new RegExp(
      `^pods default/crash: Ready after .* ms; afterwards container crash: terminated \\(Error, exit code 3\\) \\(message ${ended?.seq}\\)$`,
    ),
  );
  // Its container ends, too: killed, after the Pod was marked for deletion.
  const [selector] = (await found('not-starting-tls', 'pod/selector')).paths;
  expect([selector.goal, selector.later]).toEqual(['Ready', undefined]);
});

it('says from which message to which it counts', async () => {
  const { messages, paths } = await found('run-nginx-tls', 'pod/nginx');
  const post = messages.find(
    ({ verb, resource, name, object }) =>
      verb === 'create' && resource === 'pods' && (name ?? object?.name) === 'nginx',
  );
  const end = paths[0].legs.at(-1)?.to.seq;
  expect(reportText(pathReport(paths, 0n), 0).split('\n')[1]).toBe(
    `  from message ${post?.seq} (kubectl: create pods) to message ${end}; seconds since the first frame; share of 1.4 s`,
  );
});

it('leads to a deletion where that is asked for, or nothing else is there', async () => {
  const [gone] = (await found('run-nginx-tls', 'pod/nginx', 'gone')).paths;
  expect([gone.goal, gone.legs[0].from.verb]).toEqual(['gone', 'delete']);
  const { to } = gone.legs[gone.legs.length - 1];
  expect([to.kind, to.type]).toEqual(['event', 'DELETED']);
  expect((await found('run-nginx-tls', 'service/kubernetes', 'gone')).paths).toEqual([]);
});

it('is printed as text, as a table, and as data', async () => {
  const { paths } = await found('run-nginx-tls', 'pod/nginx');
  const text = reportText(pathReport(paths, 0n), 0);
  const rows = text.split('\n').filter((line) => / messages \d+ to \d+$/.test(line));
  expect(rows).toHaveLength(paths[0].legs.length);
  const shares = rows.map((line) => Number(/(\d+) %/.exec(line)?.[1]));
  expect(Math.abs(shares.reduce((sum, one) => sum + one, 0) - 100)).toBeLessThan(rows.length);
  expect(reportMarkdown(pathReport(paths, 0n)).match(/^\| \d/gm)).toHaveLength(rows.length);
  const [json] = JSON.parse(renderPathJson(paths, () => 9));
  const sum = json.legs.reduce((total: number, { durationMs }: { durationMs: number }) => total + durationMs, 0);
  expect(sum).toBeCloseTo(json.durationMs, 3);
});

describe('the command', () => {
  const capture = ['fixtures/run-nginx-http1/capture.pcap.gz', '-q'];

  it('exits 1 where there is no path, and says why', () => {
    const without = kubeseq(['path', 'service/kubernetes', capture[0]]);
    expect([without.status, without.stdout]).toEqual([1, '']);
    expect(without.stderr).toContain('it was neither created nor deleted');
    const absent = kubeseq(['path', 'pod/ngin', capture[0]]);
    expect(absent.status).toBe(1);
    expect(absent.stderr).toContain('pod/ngin: ');
  });

  it('says what failed by the text of the Event, where calls of the runtime were not captured', () => {
    const args = [
      'fixtures/not-starting-tls/control-plane.pcap.gz',
      '-q',
      '--keylog',
      'fixtures/not-starting-tls/keys.log.gz',
    ];
    const { stdout } = kubeseq(['path', 'pod/noimage', ...args, '-o', 'json']);
    const [{ legs }] = JSON.parse(stdout) as [{ legs: readonly { step: string; what: string }[] }];
    const failed = legs.filter(({ what }) => what === 'pulls the image, which fails');
    // The kubelet reports both pulls by Events: Failed to pull image, at 8.459 and 23.378 s.
    expect(failed.map(({ step }) => step)).toEqual(['pull', 'pull']);
    expect(legs.map(({ what }) => what)).toContain('reports ErrImagePull');
    expect(legs.map(({ what }) => what)).not.toContain('fails');
  });

  it('prints what the library finds', async () => {
    const { paths } = await found('run-nginx-http1', 'pod/nginx');
    const { stdout } = kubeseq(['path', 'pod/nginx', ...capture, '-o', 'json']);
    const [path] = JSON.parse(stdout);
    expect(path.legs.map(({ from, to }: { from: number; to: number }) => [from, to])).toEqual(
      paths[0].legs.map(({ from, to }) => [from.seq, to.seq]),
    );
  });
});

/** What the object's status says of itself. */
function conditionTimes({ incarnations }: ObjectHistory): readonly {
  readonly type: unknown;
  readonly status: unknown;
  readonly time: number;
}[] {
  const changes = incarnations.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'version' ? (step.changes ?? []) : [])),
  );
  return changes.flatMap(({ path, after }) => {
    if (!path.startsWith('status.conditions[') || typeof after !== 'object' || after === null) return [];
    const { type, status, lastTransitionTime } = after as unknown as Record<string, unknown>;
    return [{ type, status, time: Date.parse(String(lastTransitionTime)) / 1000 }];
  });
}

/** s: times of conditions are cut to seconds, and one is allowed. */
const TOLERANCE = 2;
