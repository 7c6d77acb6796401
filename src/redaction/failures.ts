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
/** Unknown or duplicate fields, by name alone (apimachinery, runtime.NewStrictDecodingError). */
const STRICT =
  /^\w+ in version "\w+" cannot be handled as a \w+: strict decoding error: (?:(?:unknown|duplicate) field "[\w.[\]-]*"(?:, )?)+$/;
/** Why a kubelet was unreachable: its address and an error of net or crypto (registry/core/pod/rest; util/proxy/dial.go). */
const TO_KUBELET = /^(?:Get "https:\/\/[^"?]+\/containerLogs\/[^"]*"|error dialing backend): /;
