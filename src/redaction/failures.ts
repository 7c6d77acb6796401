// Decides whether the text of a failure can repeat anything of the request, by the API server's reasons and the forms of its texts.

/** Reason and message of a Status (apimachinery, meta/v1). */
interface Failure {
  readonly reason: string;
  readonly message: string;
}

/**
 * @param resource of the request; undefined if unknown. Texts of other programs (admission webhooks, policies, causes of internal
 * errors) may quote the object, so for Secrets none is shown, whatever its reason.
 */
export function isSafeFailureText({ reason, message }: Failure, resource: string | undefined): boolean {
  if (FOREIGN_TEXT.test(message)) return resource !== undefined && resource !== 'secrets';
  if (CONSTANT_TEXTS.has(message.replace(OF_A_CALL, ''))) return true;
  if (SAFE_REASONS.has(reason) || (reason === 'BadRequest' && STRICT.test(message))) return true;
  return reason === '' && TO_KUBELET.test(message);
}

/** Reasons whose text the API server composes of kinds and names alone; validation errors repeat values of the request. */
const SAFE_REASONS = new Set([
  'AlreadyExists',
  'Conflict',
  'Expired',
  'Forbidden',
  'Gone',
  'NotFound',
  'TooManyRequests',
  'Timeout',
  'ServerTimeout',
  'ServiceUnavailable',
  'Unauthorized',
]);
/**
 * A webhook's verdict (k8s.io/apiserver, admission/plugin/webhook/errors), a policy's (admission/plugin/policy), an unreachable
 * webhook, or a failed conversion. The last two are internal errors, of which no others are shown.
 */
const FOREIGN_TEXT =
  /^(?:admission webhook "|[^\s"]+(?: "[^"]*")? is forbidden: (?:Validat|Mutat)ingAdmissionPolicy '|(?:Internal error occurred: )+(?:failed calling webhook "|conversion webhook for ))/;
/** How an error of a call to etcd begins in the text of the API server (google.golang.org/grpc, internal/status). */
const OF_A_CALL = /^rpc error: code = [A-Z][A-Za-z]{1,30} desc = /;
/**
 * Texts that are the same whatever was asked for: etcd's (etcd, api/v3rpc/rpctypes/error.go: those of its stores, leases and members), Go's
 * (context), grpc's (google.golang.org/grpc, internal/transport), and the API server's (apimachinery, util/proxy/upgradeaware.go).
 */
const CONSTANT_TEXTS: ReadonlySet<string> = new Set([
  ...[
    ...['mvcc: database space exceeded', 'mvcc: required revision has been compacted'],
    ...['mvcc: required revision is a future revision', 'key is not provided', 'key not found', 'lease is provided'],
    ...['too many operations in txn request', 'duplicate key given in txn request', 'request is too large'],
    ...['too many requests', 'requested lease not found', 'lease already exists', 'too large lease TTL'],
    ...['permission denied', 'invalid auth token', 'authentication is not enabled', 'user name is empty'],
    ...['authentication failed, invalid user ID or password', 'no leader', 'not leader', 'leader changed'],
    ...['not capable', 'server stopped', 'request timed out', 'unhealthy cluster', 'corrupt cluster'],
    ...['request timed out, possibly due to previous leader failure', 'rpc not supported for learner'],
    'request timed out, possibly due to connection lost',
  ].map((text) => `etcdserver: ${text}`),
  ...['context deadline exceeded', 'context canceled', 'transport is closing', 'error reading from server: EOF'],
  ...['keepalive ping failed to receive ACK within timeout', 'Upgrade request required'],
]);
/** Unknown or duplicate fields, by name alone (apimachinery, runtime.NewStrictDecodingError). */
const STRICT =
  /^\w+ in version "\w+" cannot be handled as a \w+: strict decoding error: (?:(?:unknown|duplicate) field "[\w.[\]-]*"(?:, )?)+$/;
/** Why a kubelet was unreachable: its address and an error of net or crypto (registry/core/pod/rest; util/proxy/dial.go). */
const TO_KUBELET = /^(?:Get "https:\/\/[^"?]+\/containerLogs\/[^"]*"|error dialing backend): /;
