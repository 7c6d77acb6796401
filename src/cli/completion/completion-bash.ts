// Writes the completion script for bash. Its words have only letters, digits, `-`, `.` and `,`, so nothing needs
// quoting.

import type { Completed, CompletedOption } from './completed.js';

/** @param usual the command that is meant where none is named. */
export function bashScript(commands: readonly Completed[], usual: Completed): string {
  const names = commands.map(({ name }) => name).join('|');
  return `# bash completion for kubeseq: source <(kubeseq completion bash)
_kubeseq() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=${usual.name} words= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${names}) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case $command in
${commands.map(optionCase).join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case $command in
${commands
  .filter(({ words }) => words.length > 0)
  .map(wordCase)
  .join('\n')}
  esac
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$current"))
  fi
  COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -o bashdefault -F _kubeseq kubeseq kubectl-seq
`;
}

function valueCases({ name, options }: Completed): string[] {
  const valued = options.filter(({ takesValue }) => takesValue);
  const patterns = (some: readonly CompletedOption[]): string =>
    some
      .flatMap(flags)
      .map((flag) => `"${name} ${flag}"`)
      .join(' | ');
  const line = (some: readonly CompletedOption[], words: string): string[] =>
    some.length === 0 ? [] : [`    ${patterns(some)}) ${words}return ;;`];
  return [
    ...line(
      valued.filter(({ isFile }) => isFile),
      'COMPREPLY=($(compgen -f -- "$current")); ',
    ),
    ...line(
      valued.filter(({ isFile, values }) => !isFile && values.length === 0),
      '',
    ),
    ...valued.filter(({ values }) => values.length > 0).flatMap((option) => line([option], `${valueWords(option)}; `)),
  ];
}

/** Of a list, what stands after the last comma is completed. */
function valueWords({ values, isList }: CompletedOption): string {
  const words = values.join(' ');
  if (!isList) return `COMPREPLY=($(compgen -W '${words}' -- "$current"))`;
  return `local before=; [[ $current == *,* ]] && before=\${current%,*},; COMPREPLY=($(compgen -P "$before" -W '${words}' -- "\${current##*,}"))`;
}

function optionCase({ name, options }: Completed): string {
  return `    ${name}) words='${options.flatMap(flags).join(' ')}' ;;`;
}

function wordCase({ name, words }: Completed): string {
  return `    ${name}) COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current")); return ;;`;
}

function flags({ short, long }: CompletedOption): string[] {
  return short === undefined ? [long] : [short, long];
}
