// The one list of commands that CI systems read from the log of a step. Their first character is escaped like a control character.
//
// GitLab's `section_start:` and `section_end:` end with a carriage return and an escape sequence, which no output has (gitlab-org/gitlab,
// lib/gitlab/regex.rb, `logs_section_regex`).

/**
 * The `#` that begins a command anywhere in a line: `##[` of GitHub (actions/runner, ActionCommand.cs, `TryParse`) and Azure, `##vso[`
 * of Azure (microsoft/azure-pipelines-agent, Command.cs), `##teamcity[` (JetBrains, ServiceMessage.java).
 */
export const HASH_COMMAND = '#(?=#(?:vso|teamcity)?\\[)';

/**
 * The first colon of `::name` at the beginning of a line, after white space: GitHub's runner takes the line as a command if another `::`
 * follows (ActionCommand.cs, `TryParseV2`). Lines break after what is no letter or digit (see cells.ts). No address of IPv6 is matched.
 */
const COLON_COMMAND = '(?<![\\p{L}\\p{N}]):(?=:(?![0-9A-Fa-f]{1,4}(?: |:|$))[A-Za-z-]+(?: |::|$))';

/** Either. For a regular expression with the flag `u`, in text whose lines may begin anywhere in it. */
export const COMMAND = `${HASH_COMMAND}|${COLON_COMMAND}`;

/** @returns text whose commands begin with `\u0023` or `\u003a` instead. */
export function escapeCommands(text: string): string {
  return text.replace(COMMANDS, (character) => (character === '#' ? '\\u0023' : '\\u003a'));
}

const COMMANDS = new RegExp(COMMAND, 'gu');
