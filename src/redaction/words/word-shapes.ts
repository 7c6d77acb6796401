// Recognises words that are shown because of their shape: numbers of at most five digits, addresses, times, names of Kubernetes' own API;
// and lists the schemes of URLs and the public registries.

import { listOf } from '../lists.js';
import { isWord } from './dictionary.js';

/** A short number, alone or with a unit: an exit code, a port, a percentage, `10s`, `1h5m`, `100Mi`, `1st`, `1/2`. */
export const NUMBER =
  /^[-+]?\d{1,5}(?:\.\d{1,3})?(?:%|st|nd|rd|th|x|[numkKMGTPE]i?B?|B|(?:ns|us|µs|ms|s|m|h|d)(?:\d{1,5}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h)){0,3})?$|^\d{1,5}\/\d{1,5}$/;
const ADDRESS =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\]|(?=[0-9a-f:]*::)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}|localhost)(?::\d{1,5})?(?:\/\d{1,3})?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[-+]\d\d:\d\d)?$|^\d\d:\d\d(?::\d\d)?$/;
export const VERSION = /^v\d{1,2}(?:\.\d{1,3}){0,2}(?:(?:alpha|beta)\d{1,2})?$/;
/** Words of signs alone in messages: a dash, signs of a diff, dots. */
export const SIGNS = /^[-+*@/.!?&#~^$%]{1,3}$/;
/** The API server adds this query to the URL of every webhook (apiserver, pkg/util/webhook). */
export const TIMEOUT = /^\?timeout=\d{1,4}m?s$/;
/** Schemes of URLs, sockets and images. */
export const SCHEMES = listOf('schemes');
/** Public registries, and their token servers. */
export const REGISTRIES = listOf('registries');
const DEVICE =
  /^(?:(?:sd|xvd|vd)[a-z]\d{0,2}|nvme\d{1,2}(?:n\d{1,2}(?:p\d{1,2})?)?|(?:loop|dm-|eth|ens|cali|lo)\d{1,2}|(?:gpu|tpu|nic|fpga|device|disk|node|worker|zone)-\d{1,2})$/;
/** Fields of objects that error messages begin a path with. */
const FIELD_ROOTS = listOf('field roots');

export function isAddressTimeOrVersion(word: string): boolean {
  return ADDRESS.test(word) || TIME.test(word) || VERSION.test(word);
}

/** `spec.containers[0].image`: the first part is a field of objects, and every part a word of the dictionary. */
export function isFieldPath(word: string): boolean {
  const parts = (word.startsWith('.') ? word.slice(1) : word).replace(/\[(?:\d{1,4}|\*)\]/g, '').split('.');
  return parts.length > 1 && FIELD_ROOTS.has(parts[0]) && parts.every(isWord);
}

/** A digest names a blob, but gives no access to it. */
export function isDigest(word: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(word);
}

/** A numbered device of a machine (Linux, Documentation/admin-guide/devices.txt) or of a DRA driver (`gpu-0`), a numbered node or zone. */
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

/** A group, label or taint under kubernetes.io or k8s.io whose parts are all words of the dictionary: `node.kubernetes.io/not-ready`. */
export function isKubernetesName(word: string): boolean {
  if (word.length > 120 || !/(?:^|\.)(?:kubernetes|k8s)\.io(?:$|[/:])/.test(word)) return false;
  return word.split(/[./:-]/).every((part) => part === 'k8s' || part === 'io' || isWord(part) || VERSION.test(part));
}
