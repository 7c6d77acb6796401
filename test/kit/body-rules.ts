// Rules of texts, targets and commands for tests of bodies: they show nothing of a text and no argument.
import { NO_FIELDS } from '../../src/redaction/body/field-choice.js';
import type { BodyRules } from '../../src/redaction/body/show-object.js';
import { redactedText, shown } from '../../src/redaction/shown.js';
import { redactTarget } from '../../src/redaction/target.js';

export const RULES: BodyRules = {
  text: (text) => shown(text === '' ? '' : '…'),
  words: (text) => shown(text === '' ? '' : '…'),
  target: (target) => redactTarget(target, 'http'),
  command: (words, hasProgram) => {
    const counted = /^\(\d+ arguments\)$/;
    const programs = hasProgram ? words.slice(0, 1) : [];
    const rest = words.slice(programs.length);
    if (rest.length === 0 || (rest.length === 1 && counted.test(rest[0]))) return words.map(shown);
    return [...programs, `(${rest.length} arguments)`].map(shown);
  },
  known: () => false,
  hidden: redactedText,
  fields: NO_FIELDS,
};
