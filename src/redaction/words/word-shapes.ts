// Recognises words that cannot be secrets by their shape: numbers, addresses, times, names of Kubernetes' own API.

import { isWord } from './dictionary.js';

/** A short number with its unit: an exit code, a port, a percentage, `10s`, `100Mi`, `1st`. */
export const NUMBER =
  /^[-+]?\d{1,5}(?:\.\d{1,3})?(?:%|st|nd|rd|th|x|[numkKMGTPE]i?B?|B|(?:ns|us|µs|ms|s|m|h|d)(?:\d{1,5}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h)){0,3})?$|^\d{1,5}\/\d{1,5}$/;
const ADDRESS =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\]|(?=[0-9a-f:]*::)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}|localhost)(?::\d{1,5})?(?:\/\d{1,3})?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[-+]\d\d:\d\d)?$|^\d\d:\d\d(?::\d\d)?$/;
export const VERSION = /^v\d{1,2}(?:\.\d{1,3}){0,2}(?:(?:alpha|beta)\d{1,2})?$/;
/** A dash, signs of a diff, dots. */
export const SIGNS = /^[-+*@/.!?&#~^$%]{1,3}$/;
/** The API server adds it to the address of every webhook (apiserver, pkg/util/webhook). */
export const TIMEOUT = /^\?timeout=\d{1,4}m?s$/;
/** Schemes of URLs, sockets and images. */
export const SCHEMES = new Set(
  'http https ws wss tcp udp unix grpc dns file docker docker-pullable containerd cri-o oci s3 gs git ssh ldap ldaps'.split(
    ' ',
  ),
);
/** Public registries, and their token servers. */
export const REGISTRIES = new Set([
  'docker.io',
  'registry-1.docker.io',
  'auth.docker.io',
  'production.cloudflare.docker.com',
  'ghcr.io',
  'quay.io',
  'gcr.io',
  'mcr.microsoft.com',
  'public.ecr.aws',
]);
const DEVICE =
  /^(?:(?:sd|xvd|vd)[a-z]\d{0,2}|nvme\d{1,2}(?:n\d{1,2}(?:p\d{1,2})?)?|(?:loop|dm-|eth|ens|cali|lo)\d{1,2}|(?:gpu|tpu|nic|fpga|device|disk|node|worker|zone)-\d{1,2})$/;
const FIELD_ROOTS = new Set([
  'spec',
  'status',
  'metadata',
  'data',
  'stringData',
  'rules',
  'webhooks',
  'subjects',
  'roleRef',
]);

/** An address, a time, a version. */
export function isSpecial(word: string): boolean {
  return ADDRESS.test(word) || TIME.test(word) || VERSION.test(word);
}

/** `spec.containers[0].image`: every part is a field of the API. */
export function isFieldPath(word: string): boolean {
  const parts = (word.startsWith('.') ? word.slice(1) : word).replace(/\[(?:\d{1,4}|\*)\]/g, '').split('.');
  return parts.length > 1 && FIELD_ROOTS.has(parts[0]) && parts.every(isWord);
}

/** A digest names a blob, but gives no access to it. */
export function isDigest(word: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(word);
}

/** A numbered device of a machine (Linux, Documentation/admin-guide/devices.txt), or of a DRA driver: `gpu-0`. */
export function isDevice(word: string): boolean {
  return DEVICE.test(word);
}

/** `extensions/v1beta1`. */
export function isApiVersion(word: string): boolean {
  const slash = word.indexOf('/');
  return slash > 0 && VERSION.test(word.slice(slash + 1)) && isWord(word.slice(0, slash));
}

/** `container_linux.go`, in errors of runc. */
export function isGoFile(word: string): boolean {
  return word.endsWith('.go') && word.length < 40 && word.slice(0, -3).split('_').every(isWord);
}

/** Groups, labels and taints of Kubernetes itself: `node.kubernetes.io/not-ready`. */
export function isKubernetesName(word: string): boolean {
  if (word.length > 120 || !/(?:^|\.)(?:kubernetes|k8s)\.io(?:$|[/:])/.test(word)) return false;
  return word.split(/[./:-]/).every((part) => part === 'k8s' || part === 'io' || isWord(part) || VERSION.test(part));
}
