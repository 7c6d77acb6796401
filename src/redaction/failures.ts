// Decides whether the text of a failure can repeat anything of the request, by the API server's reasons and the forms of its texts.

import { linesOf, listOf } from './lists.js';

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
const SAFE_REASONS = listOf('safe reasons');
/**
 * A webhook's verdict (k8s.io/apiserver, admission/plugin/webhook/errors), a policy's (admission/plugin/policy), an unreachable
 * webhook, or a failed conversion. The last two are internal errors, of which no others are shown.
 */
const FOREIGN_TEXT =
  /^(?:admission webhook "|[^\s"]+(?: "[^"]*")? is forbidden: (?:Validat|Mutat)ingAdmissionPolicy '|(?:Internal error occurred: )+(?:failed calling webhook "|conversion webhook for ))/;
/** How an error of a call to etcd begins in the text of the API server (google.golang.org/grpc, internal/status). */
const OF_A_CALL = /^rpc error: code = [A-Z][A-Za-z]{1,30} desc = /;
/** Texts that are the same whatever was asked for. */
const CONSTANT_TEXTS = linesOf('constant failures');
/** Unknown or duplicate fields, by name alone (apimachinery, runtime.NewStrictDecodingError). */
const STRICT =
  /^\w+ in version "\w+" cannot be handled as a \w+: strict decoding error: (?:(?:unknown|duplicate) field "[\w.[\]-]*"(?:, )?)+$/;
/** Why a kubelet was unreachable: its address and an error of net or crypto (registry/core/pod/rest; util/proxy/dial.go). */
const TO_KUBELET = /^(?:Get "https:\/\/[^"?]+\/containerLogs\/[^"]*"|error dialing backend): /;
