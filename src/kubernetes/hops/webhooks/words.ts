// How webhooks are recognised and called. Knows two words.

/** What the API server calls itself when it asks one (apiserver/pkg/admission/plugin/webhook). */
export const WEBHOOK_AGENT = 'kube-apiserver-admission';
/** Their component. */
export const WEBHOOK = 'webhook';
