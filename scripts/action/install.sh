#!/usr/bin/env bash
# Puts the single executable of a release where the step that checks finds it: into the runner's temporary folder, once a job.
# Nothing else of the runner is changed, and no Node.js is needed.
set -euo pipefail

fail() {
  printf '::error title=kubeseq::%s\n' "$1"
  exit 2
}

if [ -n "$KUBESEQ" ]; then
  command -v "$KUBESEQ" >/dev/null || fail "$KUBESEQ is no command: the input kubeseq names one that is there"
  printf 'kubeseq=%s\n' "$KUBESEQ" >>"$GITHUB_OUTPUT"
  exit
fi

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) name=kubeseq-linux-amd64 ;;
  Linux-aarch64) name=kubeseq-linux-arm64 ;;
  *) fail "there is no executable for $(uname -s) on $(uname -m): use a Linux runner (ubuntu-latest), or the input kubeseq" ;;
esac
# That of the action itself, as its package has it.
version=${VERSION:-$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$GITHUB_ACTION_PATH/package.json")}
version=${version#v}
releases=${KUBESEQ_RELEASES:-$GITHUB_SERVER_URL/${REPOSITORY:-$GITHUB_REPOSITORY}/releases/download}/v$version
folder=$RUNNER_TEMP/kubeseq-$version
if [ ! -x "$folder/kubeseq" ]; then
  unfinished=$(mktemp -d "$folder-XXXXXX")
  for file in "$name.tar.gz" checksums.txt; do
    curl --fail --silent --show-error --location --retry 3 --output "$unfinished/$file" "$releases/$file" ||
      fail "could not get $releases/$file"
  done
  wanted=${SHA256:-$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\.tar\.gz$/\1/p" "$unfinished/checksums.txt")}
  [ -n "$wanted" ] || fail "checksums.txt of $version has no $name.tar.gz"
  printf '%s  %s\n' "$wanted" "$unfinished/$name.tar.gz" | sha256sum --check --status ||
    fail "$name.tar.gz of $version has not the SHA-256 that it should have: $wanted"
  # The checksums come from the same place as the archive: only the attestation says which workflow built it.
  if [ -n "${GH_TOKEN-}" ] && command -v gh >/dev/null; then
    gh attestation verify "$unfinished/$name.tar.gz" --repo "${REPOSITORY:-$GITHUB_REPOSITORY}" >/dev/null ||
      fail "$name.tar.gz of $version has no attestation of ${REPOSITORY:-$GITHUB_REPOSITORY}"
  else
    printf '::notice title=kubeseq::the attestation of %s is not checked: that needs gh and its token\n' "$name.tar.gz"
  fi
  tar -xzf "$unfinished/$name.tar.gz" -C "$unfinished" kubeseq
  rm -rf "$folder"
  mv "$unfinished" "$folder"
fi
printf 'kubeseq=%s\n' "$folder/kubeseq" >>"$GITHUB_OUTPUT"
