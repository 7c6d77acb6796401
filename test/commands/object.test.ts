// `kubeseq object`: versions against the truth files, authors against the API server's audit log, over real captures.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  HistoryBuilder,
  messageJson,
  observe,
  parseFollow,
  renderObjectJson,
  renderObjectMarkdown,
  renderObjectText,
} from '../../src/index.js';
import { kubeseq } from '../kit/command.js';
import { fixture, fixtureLines, fixturePath } from '../kit/fixtures.js';
import { inPieces } from '../kit/observed.js';
import { madeCorpus } from '../kit/planted/corpus.js';
import { leaksIn } from '../kit/planted/search.js';

interface WatchTruth {
  readonly kind: string;
  readonly type: string;
  readonly objectKind: string;
  readonly apiVersion: string;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly resourceVersion: string;
  readonly uid: string | null;
}

interface JsonStep {
  readonly kind: string;
  readonly resourceVersion: string;
  readonly happened: string;
  readonly author: { from: string; how: string; verb: string; response: { auditId?: string } | null } | null;
  readonly sent?: readonly { path: string; after?: unknown }[];
  readonly changes: readonly { path: string; before?: unknown; after?: unknown }[] | null;
}

interface JsonLife {
  readonly uid: string;
  readonly kind: string;
  readonly owners: readonly { kind: string; name: string }[];
  readonly steps: readonly JsonStep[];
}

const OPTIONS = { first: 0n, digits: () => 6 };

/** The lives of many objects, `kind/name` in a namespace each, of one reading. */
async function livesOf(
  captures: readonly Uint8Array[],
  keys: string | null,
  names: readonly (readonly [string, string])[],
) {
  const histories = names.map(([name, namespace]) => new HistoryBuilder(parseFollow(name, namespace)!));
  const keyLogs = keys === null ? [] : [Buffer.from(fixture(keys)).toString()];
  for await (const batch of observe(
    captures.map((bytes) => inPieces(bytes)),
    { keyLogs, bodies: true },
  ))
    for (const item of batch) if (item.kind === 'message') for (const history of histories) history.feed(item.message);
  return histories.map((history) => history.result());
}

function jsonOf(life: Parameters<typeof renderObjectJson>[0]): readonly JsonLife[] {
  return JSON.parse(renderObjectJson(life, OPTIONS)).incarnations;
}

function versionsOf(life: JsonLife): JsonStep[] {
  return life.steps.filter(({ kind }) => kind === 'version');
}

/** How the API server knew each component. */
function userOf(participant: string): string {
  const node = /^kubelet \((.*)\)$/.exec(participant);
  if (node !== null) return `system:node:${node[1]}`;
  if (participant === 'kubectl') return 'kubernetes-admin';
  if (participant === 'kube-scheduler' || participant === 'kube-controller-manager') return `system:${participant}`;
  return `system:serviceaccount:kube-system:${participant}`;
}

const CAPTURES = [
  ['run-nginx-http1', ['capture'], null],
  ['run-nginx-tls', ['capture'], 'run-nginx-tls/keys.log'],
  ['deployment-tls', ['control-plane', 'node-1'], 'deployment-tls/keys.log'],
] as const;

describe.each(CAPTURES)('every object of %s', (folder, files, keys) => {
  const events = files
    .flatMap((file) => fixtureLines<WatchTruth>(`${folder}/${file}.truth.jsonl`))
    .filter(
      ({ kind, type, name, uid }) => kind === 'watch-event' && type !== 'BOOKMARK' && name !== null && uid !== null,
    );
  const users = new Map(
    fixtureLines<{ auditID: string; user: { username: string } }>(`${folder}/audit.jsonl`).map((line) => [
      line.auditID,
      line.user.username,
    ]),
  );
  const wanted = new Map(
    events
      .filter(({ objectKind }) => objectKind !== 'Event' && objectKind !== 'PartialObjectMetadata')
      .map((event) => {
        const group = event.apiVersion.includes('/') ? `.${event.apiVersion.split('/')[0]}` : '';
        const name = `${event.objectKind.toLowerCase()}${group}/${event.name}`;
        return [`${name} ${event.namespace}`, [name, event.namespace ?? 'default', event.uid] as const];
      }),
  );
  const names = [...wanted.values()];
  let lives: (readonly JsonLife[])[] = [];
  beforeAll(async () => {
    const captures = files.map((file) => fixture(`${folder}/${file}.pcap`));
    lives = (
      await livesOf(
        captures,
        keys,
        names.map(([name, namespace]) => [name, namespace]),
      )
    ).map(jsonOf);
  }, 30_000);

  it('has every version of the truth, in the order of resourceVersion', () => {
    expect(names.length).toBeGreaterThan(20);
    names.forEach(([name, , uid], i) => {
      const truth = events.filter((event) => event.uid === uid).map(({ resourceVersion }) => resourceVersion);
      const life = lives[i].find((one) => one.uid === uid);
      const seen = versionsOf(life!).map(({ resourceVersion }) => Number(resourceVersion));
      expect(seen, name).toEqual([...seen].sort((a, b) => a - b));
      expect(new Set(seen).size, name).toBe(seen.length);
      expect(
        truth.filter((version) => !seen.includes(Number(version))),
        name,
      ).toEqual([]);
    });
  });

  it('names the same author as the audit log', () => {
    let compared = 0;
    for (const life of lives.flat()) {
      for (const { author } of versionsOf(life)) {
        const user = users.get(author?.response?.auditId ?? '');
        if (user === undefined) continue;
        compared += 1;
        expect(userOf(author!.from)).toBe(user);
      }
    }
    expect(compared).toBeGreaterThan(10);
  });

  it('is deleted as often as an event of all objects is DELETED', () => {
    const gone = new Set(events.flatMap(({ type, uid }) => (type === 'DELETED' ? [uid] : [])));
    const told = lives.flat().filter((life) => versionsOf(life).some(({ happened }) => happened === 'deleted'));
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter(({ uid }) => !gone.has(uid))).toEqual([]);
  });
});

describe('pod/nginx of run-nginx-http1', () => {
  const CAPTURE = fixturePath('run-nginx-http1/capture.pcap.gz');
  const ran = kubeseq(['object', 'pod/nginx', CAPTURE, '-o', 'json']);
  const [life] = JSON.parse(ran.stdout).incarnations as JsonLife[];
  const version = (wanted: string): JsonStep => versionsOf(life).find((one) => one.resourceVersion === wanted)!;

  it('was created, bound, reported on, marked for deletion and deleted, each with its author', () => {
    expect(ran.status).toBe(0);
    expect(versionsOf(life).map((one) => [one.resourceVersion, one.happened, one.author?.from])).toEqual([
      ['284', 'created', 'kubectl'],
      ['285', 'changed', 'kube-scheduler'],
      ['287', 'changed', 'kubelet (node-1)'],
      ['294', 'changed', 'kubelet (node-1)'],
      ['300', 'marked for deletion', 'kubectl'],
      ['302', 'changed', 'kubelet (node-1)'],
      ['303', 'changed', 'kubelet (node-1)'],
      ['304', 'changed', 'kubelet (node-1)'],
      ['305', 'deleted', 'kubelet (node-1)'],
    ]);
  });

  // What `kubectl run nginx --image=nginx --restart=Never` sends, and what the scheduler's binding sets.
  it('shows what each of them changed', () => {
    expect(version('284').sent?.map(({ path }) => path)).toEqual([
      'metadata.labels.run',
      'spec.containers[nginx]',
      'spec.restartPolicy',
      'spec.dnsPolicy',
    ]);
    expect(version('285').changes?.map(({ path }) => path)).toEqual([
      'spec.nodeName',
      'status.conditions[PodScheduled]',
    ]);
    expect(version('294').changes).toContainEqual({ path: 'status.phase', before: 'Pending', after: 'Running' });
    expect(version('300').changes?.map(({ path }) => path)).toContain('metadata.deletionTimestamp');
    expect(version('303').changes).toContainEqual({ path: 'status.phase', before: 'Running', after: 'Succeeded' });
  });

  it('is the same from an export, and in text and Markdown', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeseq-object-'));
    const file = join(folder, 'export.ndjson');
    kubeseq(['export', CAPTURE, '-w', file]);
    for (const format of ['markdown', 'json']) {
      const args = ['object', 'pod/nginx', '-o', format];
      expect(kubeseq([...args, file]).stdout).toBe(kubeseq([...args, CAPTURE]).stdout);
    }
    rmSync(folder, { recursive: true });
  });

  it('reports what it does not find, and what it does not understand', () => {
    const none = kubeseq(['object', 'pod/none', CAPTURE]);
    expect([none.status, none.stdout]).toEqual([1, '']);
    expect(none.stderr).toContain('pod/none: no message in the capture is about it');
    const wrong = kubeseq(['object', 'nginx', CAPTURE]);
    expect([wrong.status, wrong.stderr]).toEqual([2, 'kubeseq: nginx: expected KIND/NAME, for example pod/nginx\n']);
  });
});

describe('deployment/web of deployment-tls', () => {
  let text = '';
  let life: JsonLife;
  beforeAll(async () => {
    const [object] = await livesOf([fixture('deployment-tls/control-plane.pcap')], 'deployment-tls/keys.log', [
      ['deployment/web', 'default'],
    ]);
    text = renderObjectText(object, OPTIONS);
    [life] = jsonOf(object);
  }, 30_000);

  // kubectl create deployment --replicas=2, scale --replicas=3, set env COLOR=…, delete.
  it('was changed by a person four times', () => {
    const byPeople = versionsOf(life).filter(({ author }) => author?.from === 'kubectl');
    expect(byPeople.map(({ happened, author }) => [happened, author?.verb])).toEqual([
      ['created', 'create'],
      ['changed', 'patch'],
      ['changed', 'patch'],
      ['deleted', 'delete'],
    ]);
    expect(byPeople[1].changes).toContainEqual({ path: 'spec.replicas', before: 2, after: 3 });
    expect(byPeople[2].changes?.map(({ path }) => path)).toContain('spec.template.spec.containers[nginx].env[COLOR]');
  });

  it('shows refused writes, and hides the value of a variable', () => {
    expect(text).toContain(
      'deployment-controller was refused (Conflict): Operation cannot be fulfilled on deployments.apps "web": the object has been modified',
    );
    expect(text).toContain('env[COLOR]: {value: REDACTED}');
  });
});

describe('secrets', () => {
  const { planted: corpus, capture: made } = madeCorpus(['letters']);
  const planted = leaksIn(corpus);

  it('that were planted are in the life of no object, in no format', async () => {
    const names = new Map<string, readonly [string, string]>();
    for await (const batch of observe([inPieces(made)], {})) {
      for (const item of batch) {
        if (item.kind !== 'message') continue;
        const { resource, name, namespace, object } = messageJson(item.message, OPTIONS) as Record<string, never>;
        const about = name ?? (object as { name?: string } | undefined)?.name;
        if (resource === undefined || about === undefined || about === null) continue;
        names.set(`${resource}/${about} ${namespace}`, [`${resource}/${about}`, namespace ?? 'default']);
      }
    }
    expect(names.size).toBeGreaterThan(5);
    const lives = await livesOf([made], null, [...names.values()]);
    expect(lives.filter(({ incarnations: some }) => some.length > 0).length).toBeGreaterThan(5);
    for (const life of lives) {
      const options = { ...OPTIONS, all: true };
      for (const output of [
        renderObjectText(life, options),
        renderObjectMarkdown(life, options),
        renderObjectJson(life, options),
      ])
        expect(planted(output)).toEqual([]);
    }
  });

  it('of a real Secret are REDACTED, unless requested', () => {
    const args = ['object', 'secret/s1', fixturePath('errors-http1/capture.pcap.gz')];
    const hidden = kubeseq(args).stdout;
    expect(hidden).toContain('+ data.password: REDACTED');
    expect(hidden).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(kubeseq([...args, '--show-secrets']).stdout).toContain('+ data.password: aHVudGVyMg==');
  });
});
