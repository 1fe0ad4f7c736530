#!/usr/bin/env bash
# The product on AWS and tools that others wrote: installs them beside package.json, into .venv/, and runs this folder's tests.
# Without the registries there is nothing to run on: then it says so and succeeds, or fails if LEASEWAY_MUST_NOT_SKIP is set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
node22=22.23.3

skip() {
  if [[ -n ${LEASEWAY_MUST_NOT_SKIP:-} ]]; then
    echo "test:stack cannot run, and must not be skipped: $1" >&2
    exit 1
  fi
  echo "test:stack is skipped, nothing was shown: $1"
  exit 0
}

# A virtual environment of its own for each list, made anew when the list has changed.
environment() {
  local folder=$root/.venv/$1 list=$here/$2
  cmp -s "$list" "$folder/requirements.txt" && return
  rm -rf "$folder"
  mkdir -p "$root/.venv"
  python3 -m venv "$folder" || skip "python3 cannot make a virtual environment"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$list" || skip "$2 cannot be installed"
  cp "$list" "$folder/requirements.txt"
}

command -v python3 >/dev/null || skip "there is no python3"
environment stack requirements.txt
environment sam requirements-sam.txt
if [[ $("$root/.venv/node22/node_modules/.bin/node" --version 2>/dev/null) != "v$node22" ]]; then
  npm install --silent --no-save --no-package-lock --prefix "$root/.venv/node22" "node@$node22" ||
    skip "Node $node22 cannot be installed"
fi

cd "$root"
node infra/build.ts --quiet
# One file after the other: each has servers of its own.
exec node --test --test-concurrency=1 --test-reporter=spec "test/stack/**/*.test.ts"
