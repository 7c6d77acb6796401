// The text of a failure: whether it can hold nothing of what was sent. Knows the reasons of the API server and the shapes of
// its texts; nothing of bodies and heads.

/** What a Status (apimachinery, meta/v1) says of a failure. */
interface Failure {
  readonly reason: string;
  readonly message: string;
}

/**
 * @param resource that was asked for; undefined where it is not known. Words of somebody else (admission webhooks, policies,
 * what is behind an internal error) may quote what they judged, so of Secrets none are shown, whatever their reason.
 */
export function isTellableFailure({ reason, message }: Failure, resource: string | undefined): boolean {
  if (OTHERS_WORDS.test(message)) return resource !== undefined && resource !== 'secrets';
  if (SAFE_REASONS.has(reason) || (reason === 'BadRequest' && STRICT.test(message))) return true;
  return reason === '' && TO_KUBELET.test(message);
}

/** Failures whose text the API server makes of kinds and names alone; validation errors repeat what was sent. */
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
 * A webhook's verdict (k8s.io/apiserver, admission/plugin/webhook/errors), a policy's (admission/plugin/policy), a webhook
 * that could not be asked, or a conversion that failed: these two come as internal errors, of which no others are shown.
 */
const OTHERS_WORDS =
  /^(?:admission webhook "|[^\s"]+(?: "[^"]*")? is forbidden: (?:Validat|Mutat)ingAdmissionPolicy '|(?:Internal error occurred: )+(?:failed calling webhook "|conversion webhook for ))/;
/** Fields that no such kind has, or that are there twice: names alone (apimachinery, runtime.NewStrictDecodingError). */
const STRICT =
  /^\w+ in version "\w+" cannot be handled as a \w+: strict decoding error: (?:(?:unknown|duplicate) field "[\w.[\]-]*"(?:, )?)+$/;
/** Why a kubelet could not be asked: its address and an error of net or crypto (registry/core/pod/rest; util/proxy/dial.go). */
const TO_KUBELET = /^(?:Get "https:\/\/[^"?]+\/containerLogs\/[^"]*"|error dialing backend): /;
