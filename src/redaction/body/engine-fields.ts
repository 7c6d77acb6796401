// Decides which strings are shown of bodies without a schema: docker, registries, the kubelet, and servers' reports about themselves. A
// listed member is shown at any depth; of all others only structure, numbers and booleans are.

import { type FieldRow, fieldRows, rowsByField } from './rows.js';

/** Moby, api/swagger.yaml (Engine API 1.24 to 1.52). */
export const DOCKER_ROWS: readonly FieldRow[] = fieldRows([
  [
    'name',
    'names and versions',
    `Name Names Driver VolumeDriver NetworkMode IpcMode PidMode CgroupParent Runtime Version ApiVersion MinAPIVersion
    GitCommit GoVersion KernelVersion Arch Architecture Os OSType OSVersion ServerVersion DockerVersion Variant
    CgroupDriver CgroupVersion CgroupnsMode UTSMode UsernsMode Hostname Domainname Platform NodeName ExecDriver`,
  ],
  ['uid', 'an identity and nothing else', 'ID NetworkID EndpointID SandboxID ContainerID ExecID'],
  [
    'image',
    'a reference or id of an image or container',
    'Id Image ImageID RepoTags RepoDigests Parent id from Untagged Deleted',
  ],
  ['digest', 'a digest', 'Digest digest Layers'],
  [
    'word',
    'an enumerated value or state',
    'State Type Action status Propagation Mode CapAdd CapDrop StopSignal Protocol scope Scope',
  ],
  ['phrase', 'a state in a few words: `Up 3 minutes`', 'Status OperatingSystem'],
  ['time', 'when something happened', 'Created CreatedAt StartedAt FinishedAt LastTagTime BuildTime Started Start End'],
  [
    'path',
    'where in a file system',
    'Source Destination Target Mountpoint WorkingDir Binds LogPath MaskedPaths ReadonlyPaths SandboxKey HostnamePath HostsPath ResolvConfPath Path',
  ],
  [
    'address',
    'addresses of the network',
    'IP HostIp IPAddress Gateway GlobalIPv6Address IPv6Gateway MacAddress Subnet Dns',
  ],
  ['port', 'ports', 'HostPort'],
  ['user', 'as whom a program runs', 'User'],
  ['assignment', 'the names of variables', 'Env'],
  ['command', 'the program stays, its arguments are counted', 'Cmd Entrypoint Command'],
  ['arguments', 'are counted', 'Args Test Shell'],
  ['labels', 'by key and value (label-values.ts)', 'Labels'],
  ['text', "the engine's message", 'message Error'],
  [
    'none',
    'options, build arguments and credentials in forms of their own',
    `Annotations Attributes BuildArgs Data DriverOpts IPAMConfig IdentityToken LogConfig Options Opts Auth
    Password Sysctls Tmpfs`,
  ],
]);

/** OCI distribution-spec and image-spec; docker's token protocol (distribution, docs/spec/auth/token.md). */
export const REGISTRY_ROWS: readonly FieldRow[] = fieldRows([
  ['media-type', 'what a blob is', 'mediaType artifactType'],
  ['digest', 'digests of blobs and layers', 'digest diff_ids'],
  [
    'name',
    'names of repositories, tags and platforms',
    'name tags tag repositories architecture os variant os.version os.features type',
  ],
  ['word', 'a code of the protocol', 'code'],
  ['text', "the registry's message", 'message'],
  ['time', 'when something was made', 'created issued_at'],
  ['path', 'where in a file system', 'WorkingDir'],
  ['user', 'as whom a program runs', 'User'],
  ['word', 'a signal', 'StopSignal'],
  ['assignment', 'the names of variables', 'Env'],
  ['command', 'the program stays, its arguments are counted', 'Cmd Entrypoint'],
  ['arguments', 'are counted', 'Shell Test'],
  ['labels', 'by key and value (label-values.ts)', 'Labels'],
  ['annotations', 'keys, and values of a closed list (annotations.ts)', 'annotations'],
  ['none', 'build arguments and environment are in them', 'created_by comment author history'],
  ['none', 'credentials', 'token access_token refresh_token'],
]);

/** k8s.io/kubelet, pkg/apis/stats/v1alpha1/types.go; `/pods` is a PodList. */
export const KUBELET_ROWS: readonly FieldRow[] = fieldRows([
  ['name', 'names of nodes, Pods, containers, volumes and interfaces', 'name namespace nodeName'],
  ['uid', 'an identity and nothing else', 'uid'],
  ['time', 'when it was measured', 'time startTime'],
]);

/** Servers' reports about themselves: `/version` (k8s.io/apimachinery, pkg/version), etcd's `/version` and `/health`. */
export const SERVER_ROWS: readonly FieldRow[] = fieldRows([
  [
    'name',
    'a version and what it was built with',
    `major minor emulationMajor emulationMinor minCompatibilityMajor minCompatibilityMinor gitVersion gitCommit
    gitTreeState goVersion compiler platform etcdserver etcdcluster storage`,
  ],
  ['time', 'when it was built', 'buildDate'],
  ['word', 'a state', 'health'],
]);

export const DOCKER_BY_MEMBER = rowsByField(DOCKER_ROWS);
export const REGISTRY_BY_MEMBER = rowsByField(REGISTRY_ROWS);
export const KUBELET_BY_MEMBER = rowsByField(KUBELET_ROWS);
export const SERVER_BY_MEMBER = rowsByField(SERVER_ROWS);
