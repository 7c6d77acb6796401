#!/usr/bin/env bash
# Checks expectations and pages, and writes the summary of the step, a JUnit report, corrected files and outputs. Inputs come as
# environment variables; those that name files are one pattern a line.
set -euo pipefail
shopt -s globstar
export LC_COLLATE=C

fail() {
  printf '::error title=kubeseq::%s\n' "$1"
  printf 'status=undecided\n' >>"$GITHUB_OUTPUT"
  exit 2
}

# Names of the files that an input's patterns match, into the array of that name.
files_of() {
  local -n found=$1
  # A pattern is not split at blanks, and a name with a line feed stays one.
  local pattern matched IFS=
  while IFS= read -r pattern; do
    if [ -z "$pattern" ]; then continue; fi
    if [ -e "$pattern" ]; then
      found+=("$pattern")
      continue
    fi
    shopt -s nullglob
    # shellcheck disable=SC2206
    matched=($pattern)
    shopt -u nullglob
    [ ${#matched[@]} -gt 0 ] || fail "no file matches $pattern (input $2)"
    found+=("${matched[@]}")
  done <<<"${!3}"
}

# What follows the limit is cut, and that is said: GitHub takes 1 MiB for a step's summary, or nothing.
summarize() {
  local text size
  text=$(cat)
  size=$(stat -c %s "$GITHUB_STEP_SUMMARY" 2>/dev/null || echo 0)
  if [ $((size + $(wc -c <<<"$text"))) -le "$SUMMARY_BYTES" ]; then
    printf '%s\n\n' "$text" >>"$GITHUB_STEP_SUMMARY"
  else
    printf '%s: not shown here, as the summary of a step has 1 MiB at most\n\n' "$1" | tee -a "$GITHUB_STEP_SUMMARY"
  fi
}
SUMMARY_BYTES=1000000

expected=() captures=() keylogs=() pages=()
files_of expected expected EXPECTED
files_of captures captures CAPTURES
files_of keylogs keylogs KEYLOGS
files_of pages pages PAGES
if [ ${#captures[@]} = 0 ] && [ ${#pages[@]} = 0 ]; then fail 'name captures, or pages whose diagrams name theirs'; fi
if [ ${#captures[@]} = 0 ] && [ ${#expected[@]} -gt 0 ]; then fail 'name the captures of what is expected'; fi

# One folder for each time that a job uses the action.
number=1
mkdir -p "$RUNNER_TEMP/kubeseq"
until mkdir "$RUNNER_TEMP/kubeseq/$number" 2>/dev/null; do number=$((number + 1)); done
folder=$RUNNER_TEMP/kubeseq/$number
corrected=$folder/corrected

reading=(-q --no-progress)
for file in "${keylogs[@]}"; do reading+=("--keylog=$file"); done
selecting=()
if [ -n "$FOLLOW" ]; then selecting+=(--follow "$FOLLOW"); fi
if [ -n "$NAMESPACE" ]; then selecting+=(--namespace "$NAMESPACE"); fi
if [ -n "$WHERE" ]; then selecting+=(--where "$WHERE"); fi
worst=0
at_least() { if [ "$1" -gt "$worst" ]; then worst=$1; fi; }

if [ ${#expected[@]} -gt 0 ] || { [ -n "$BUDGET" ] && [ ${#captures[@]} -gt 0 ]; }; then
  checking=(--corrected "$corrected")
  if [ "$ALL_FAILURES" = true ]; then checking+=(--all-failures); fi
  if [ -n "$BUDGET" ]; then checking+=(--budget "$BUDGET"); fi
  if [ -n "$JUNIT" ]; then
    mkdir -p "$JUNIT"
    report=$JUNIT/kubeseq-$ID-$number.xml
    checking+=(--report "$report")
  fi
  status=0
  "$KUBESEQ" check "${reading[@]}" "${selecting[@]}" "${checking[@]}" -o github -- "${expected[@]}" "${captures[@]}" || status=$?
  at_least "$status"
  if [ -n "${report-}" ] && [ -e "$report" ]; then printf 'report=%s\n' "$report" >>"$GITHUB_OUTPUT"; fi
fi

if [ "$DIAGRAM" = true ] || { [ ${#expected[@]} = 0 ] && [ ${#pages[@]} = 0 ] && [ -z "$BUDGET" ]; }; then
  status=0
  "$KUBESEQ" diagram "${reading[@]}" "${selecting[@]}" -o mermaid -w "$folder/diagram.mmd" -- "${captures[@]}" || status=$?
  at_least "$status"
  if [ -e "$folder/diagram.mmd" ]; then
    # mermaid takes 50,000 characters, and GitHub lets nobody change that.
    if [ "$(wc -m <"$folder/diagram.mmd")" -le 45000 ]; then
      { printf '## %s\n\n``````````mermaid\n' "${FOLLOW:-Diagram}"; cat "$folder/diagram.mmd"; printf '``````````\n'; } | summarize diagram
    else
      printf 'The diagram is too long to be drawn here; follow, namespace and where select what it shows.\n' | summarize diagram
    fi
    printf 'diagram=%s\n' "$folder/diagram.mmd" >>"$GITHUB_OUTPUT"
  fi
fi

if [ ${#pages[@]} -gt 0 ]; then
  status=0
  "$KUBESEQ" docs --check -q --no-progress -- "${pages[@]}" >"$folder/pages.diff" || status=$?
  at_least "$status"
  cat "$folder/pages.diff"
  if [ -s "$folder/pages.diff" ]; then
    # More backticks than any line of a page has.
    { printf '## Stale pages\n\n``````````diff\n'; head -c 400000 "$folder/pages.diff"; printf '\n``````````\n'; } | summarize 'the diff of stale pages'
    if [ "$(stat -c %s "$folder/pages.diff")" -gt 400000 ]; then printf 'The diff is cut.\n' | summarize cut; fi
    # Pages stay as they are: what they name is relative to them, so they are rewritten in their place, and put back.
    for page in "${pages[@]}"; do
      cp -p -- "$page" "$folder/page-before"
      if "$KUBESEQ" docs -q --no-progress -- "$page" && ! cmp -s -- "$page" "$folder/page-before"; then
        mkdir -p "$corrected/$(dirname -- "${page#/}")"
        cp -- "$page" "$corrected/${page#/}"
      fi
      cp -p -- "$folder/page-before" "$page"
    done
  fi
fi

if [ -d "$corrected" ]; then
  printf 'corrected=%s\nartifact=%s\n' "$corrected" "kubeseq-corrected-$ID-$number" >>"$GITHUB_OUTPUT"
fi
case $worst in
  0) printf 'status=pass\n' ;;
  1) printf 'status=fail\n' ;;
  *) printf 'status=undecided\n' ;;
esac >>"$GITHUB_OUTPUT"
exit "$worst"
