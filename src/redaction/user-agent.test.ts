import { describe, expect, it } from 'vitest';
import { redactUserAgent } from './user-agent.js';

describe('user agents', () => {
  it.each([
    'kubectl/v1.34.4 (linux/amd64) kubernetes/f8e6d2c',
    'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/f8e6d2c/system:serviceaccount:kube-system:replicaset-controller',
    'kube-scheduler/v1.34.4 (linux/amd64) kubernetes/f8e6d2c/leader-election',
    'Go-http-client/1.1',
    'curl/8.5.0',
    'Wget',
    'karpenter/unspecified',
    'rancher2/2.9',
    'deploy@server-1/v1.34.4+k3s1 (linux/amd64) k3s/0123456',
    'containerd/v2.0.0',
    'grpc-go/1.72.1',
    'docker/28.0.1 go/go1.23.6 git-commit/bbd0a17 kernel/6.8.0 os/linux arch/amd64 UpstreamClient(Docker-Client/28.0.1 \\(linux\\))',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    'helm-controller/v0.0.0 (linux/amd64) kubernetes/$Format',
    'argocd-application-controller/v2.13.2+dc43124',
    'karpenter/unspecified',
    'k9s/v0.32.7 (linux/amd64) kubernetes/$Format',
    'fabric8-kubernetes-client/6.9.2',
    'traefik/3.1.0 (linux/amd64) kubernetes/ingress',
    'pulumi-kubernetes/v4',
    'Swagger-Codegen/1.0.0-SNAPSHOT/java',
    'k3s/v1.31.4+k3s1 (linux/arm64) kubernetes/a562d09',
  ])('%s: shown', (value) => expect(redactUserAgent(value)).toBe(value));

  it.each([
    ['curl/8.5.0 token=hunter2', 'curl/8.5.0 …'],
    ['app/1.0 (sk_live_4eC39HqLyjWDarjtT1zdp7dc)', 'app/1.0 (…)'],
    ['AKIAIOSFODNN7EXAMPLE', '…'],
    ['deploy/aB3xK9qZ', 'deploy/…'],
    ['acme-operator/build-7f3a9c1e (linux/amd64)', 'acme-operator/… (linux/amd64)'],
    ['deploy@gke-pool-x7z9q/v1.34.4+k3s1', 'deploy@…/v1.34.4+k3s1'],
    ['agent/1.0 (linux/amd64) lanlannim pexjorgar', 'agent/1.0 (linux/amd64) … …'],
    // The product stays, whatever follows.
    ['app/1.0 deploy/aB3xK9qZ', 'app/1.0 deploy/…'],
    ['aB3xK9qZ/1.0', '…'],
    ['app/482913 482913', 'app/… …'],
    ['x'.repeat(600), '…'],
  ])('%s', (value, expected) => expect(redactUserAgent(value)).toBe(expected));
});
