// Names the component of webhooks and the User-Agent of the API server that calls them.

/** User-Agent of the API server that calls a webhook (apiserver/pkg/admission/plugin/webhook). */
export const WEBHOOK_AGENT = 'kube-apiserver-admission';
/** Their component. */
export const WEBHOOK = 'webhook';
