// Decides which strings are shown of the container runtime interface (k8s.io/cri-api, pkg/apis/runtime/v1/api.proto) and of etcd's API
// (api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto, api/authpb/auth.proto).

import { type FieldRow, fieldRows, rowsByField } from './rows.js';

/** Enums are always shown, as their values are the table's own. */
export const CRI_ROWS: readonly FieldRow[] = fieldRows([
  [
    'name',
    'names of Pods, containers, handlers, metrics and devices',
    `name namespace runtime_handler target_id hostname runtime_name runtime_version runtime_api_version version
    label_keys`,
  ],
  ['key', 'a variable', 'key'],
  ['uid', 'an identity and nothing else', 'uid id container_id container_ids pod_sandbox_id'],
  ['image', 'a reference of an image', 'image image_id image_ref user_specified_image repo_digests repo_tags'],
  [
    'path',
    'where in a file system',
    `container_path host_path image_sub_path log_path log_directory mountpoint cgroup_parent working_dir masked_paths
    readonly_paths checkpoint_path output_path location localhost_ref apparmor_profile seccomp_profile_path`,
  ],
  ['host', 'names of hosts', 'searches'],
  ['word', 'a word of the runtime', 'reason type permissions'],
  [
    'word',
    'capabilities and security labels of the kernel',
    'add_ambient_capabilities add_capabilities drop_capabilities',
  ],
  ['word', 'security labels of the kernel', 'level role user'],
  ['user', 'as whom a program runs', 'run_as_username Image.username'],
  ['address', 'addresses of the network', 'ip host_ip pod_cidr servers'],
  ['numbers', 'numbers of processors and memory nodes', 'cpuset_cpus cpuset_mems'],
  ['word', 'a size', 'page_size'],
  ['setting', 'settings of the kernel that are numbers', 'sysctls'],
  ['endpoint', 'where a registry is', 'server_address'],
  ['target', 'where a stream is served, without its token', 'url'],
  ['name', 'settings of resolv.conf: `ndots:5`', 'DNSConfig.options'],
  ['text', "the runtime's message", 'message'],
  ['command', 'the program stays, its arguments are counted', 'command cmd'],
  ['arguments', 'are counted', 'args'],
  ['labels', 'by key and value (label-values.ts)', 'labels label_selector'],
  ['annotations', 'keys, and values of a closed list (annotations.ts)', 'annotations'],

  ['none', 'may be a secret: the name stays', 'value'],
  ['none', 'credentials', 'auth identity_token password registry_token username'],
  ['none', 'documents of the runtime: environment, whole specifications', 'info'],
  ['none', 'what a program printed', 'stdout stderr'],
  ['none', 'options in a form of their own', 'options mount_options unified'],
  ['none', 'credentials of a service account of Windows', 'credential_spec'],
  ['none', 'prose, and values of labels of metrics', 'help label_values'],
]);

export const CRI_BY_FIELD = rowsByField(CRI_ROWS);

/** Values are already decoded objects of Kubernetes, redacted by their kind, or a number of bytes. */
export const ETCD_ROWS: readonly FieldRow[] = fieldRows([
  ['store-key', 'names of objects below /registry/, any other is a path of an unknown API', 'key keys range_end'],
  [
    'name',
    'names of members, users and roles, and versions',
    'name role roles user users version ver storageVersion targetVersion',
  ],
  ['endpoint', 'where members are', 'clientURLs peerURLs'],
  ['text', "the server's message", 'error errors cancel_reason'],

  ['none', 'credentials', 'password hashedPassword token'],
  ['none', 'a database', 'blob'],
  ['object', 'what is stored, where that is an object of Kubernetes', 'value'],
]);

export const ETCD_BY_FIELD = rowsByField(ETCD_ROWS);
