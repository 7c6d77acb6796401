// Names the component of webhooks and the User-Agent of the API server that calls them.

/** What the API server calls itself when it asks one (apiserver/pkg/admission/plugin/webhook). */
export const WEBHOOK_AGENT = 'kube-apiserver-admission';
/** Their component. */
export const WEBHOOK = 'webhook';
