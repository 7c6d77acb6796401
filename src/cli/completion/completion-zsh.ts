// Writes the completion script for zsh: one `_arguments` call for each command.

import type { Completed, CompletedOption } from './completed.js';

/** @param usual the command that is meant where none is named. */
export function zshScript(commands: readonly Completed[], usual: Completed): string {
  return `#compdef kubeseq kubectl-seq
# zsh completion for kubeseq: kubeseq completion zsh > "\${fpath[1]}/_kubeseq"
_kubeseq() {
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    '${quoted(name)}:${quoted(description)}'`).join('\n')}
  )
  local command=${usual.name}
  if ((CURRENT > 2)) && ((\${commands[(I)\${words[2]}:*]})); then
    command=\${words[2]}
    shift words
    ((CURRENT--))
  elif ((CURRENT == 2)) && [[ \${words[2]} != -* ]]; then
    _describe -t commands command commands
  fi
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _kubeseq "$@"
else
  compdef _kubeseq kubeseq kubectl-seq
fi
`;
}

function commandCase({ name, options, words }: Completed): string {
  const rest = words.length > 0 ? `'*:word:(${words.join(' ')})'` : `'*:file:_files'`;
  return [
    `    ${name})`,
    '      _arguments -s \\',
    ...options.map((one) => `        ${spec(one)} \\`),
    `        ${rest} ;;`,
  ].join('\n');
}

function spec(option: CompletedOption): string {
  const { short, long, description, takesValue } = option;
  const text = `[${quoted(description).replaceAll(/[[\]:]/g, '\\$&')}]${takesValue ? `:value:${action(option)}` : ''}`;
  if (short === undefined) return `'*${long}${text}'`;
  return `'*'{${short},${long}}'${text}'`;
}

function action({ values, isList, isFile }: CompletedOption): string {
  if (values.length === 0) return isFile ? '_files' : ' ';
  return isList ? `_values -s , value ${values.join(' ')}` : `(${values.join(' ')})`;
}

/** Inside single quotes. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
