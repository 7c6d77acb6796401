// The one redaction: what a capture holds of secrets never gets past here unless `--show-secrets` was given. Knows what
// is asked of it; the rules stand in text.ts, fields.ts and objects.ts. Knows nothing of who prints what.

import { redactField } from './fields.js';
import { type ObjectContext, redactObject } from './objects.js';
import { redactTarget, redactText } from './text.js';

export type { ObjectContext } from './objects.js';
export { REDACTED } from './text.js';

export interface Redaction {
  /** A request target: values of credential parameters and URL user-info are replaced. */
  target(target: string): string;
  /** Free text (user agents, messages): bearer tokens and JWTs are replaced. */
  text(value: string): string;
  /** The value of a header field: nothing of a credential stays. @param isTold whether failures and warnings may be told. */
  field(name: string, value: string, isTold?: boolean): string;
  /** A decoded body, copied; undefined where nothing of it may be shown. Redacting twice changes nothing more. */
  object(value: unknown, context: ObjectContext): unknown;
}

export const redacting: Redaction = {
  target: redactTarget,
  text: redactText,
  field: redactField,
  object: redactObject,
};

/** For `--show-secrets` only. */
export const showing: Redaction = {
  target: (target) => target,
  text: (value) => value,
  field: (_name, value) => value,
  object: (value) => value,
};
