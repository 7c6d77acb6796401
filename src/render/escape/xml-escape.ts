// The one escape of XML: the five characters, and what XML 1.0 does not allow at all (section 2.2) as U+FFFD. Attributes
// and text alike.

import { dictionary } from '../../core/collections/dictionary.js';
import { UNSEEN } from './unseen.js';

export function escapeXml(text: string): string {
  return text.replace(NEVER, '\ufffd').replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

const ENTITIES: Readonly<Record<string, string>> = dictionary({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});
/** What nobody sees, but tab, line feed and carriage return; and what XML does not allow besides. */
const NEVER = new RegExp(`(?![\\t\\n\\r])(?:${UNSEEN}|[\\ufffe\\uffff])`, 'gu');
