#!/usr/bin/env bash
# The product on AWS and tools that others wrote: installs them beside package.json, into .venv/, and runs this folder's tests.
# Without the registries there is nothing to run on: then it says so and succeeds, or fails if LEASEWAY_MUST_NOT_SKIP is set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
node22=22.23.3
# The last release of the reference plugins that has flannel's.
plugins=v0.9.1

skip() {
  if [[ -n ${LEASEWAY_MUST_NOT_SKIP:-} ]]; then
    echo "test:stack cannot run, and must not be skipped: $1" >&2
    exit 1
  fi
  echo "test:stack is skipped, nothing was shown: $1"
  exit 0
}

# For what only some tests need: they say so too.
go_without() {
  if [[ -n ${LEASEWAY_MUST_NOT_SKIP:-} ]]; then
    echo "test:stack must not go without $1" >&2
    exit 1
  fi
  echo "test:stack goes without $1"
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

# flannel's CNI plugin, built unless the one that is there names this version. GOFLAGS is set, not emptied, because Go would then
# take the one of `go env -w`.
flannel_plugin() {
  local folder=$root/.venv/cni module=github.com/containernetworking/plugins
  [[ $(env -u CNI_COMMAND "$folder/flannel" 2>&1) == "CNI flannel plugin $plugins" ]] && return
  rm -rf "$folder"
  if ! command -v go >/dev/null; then
    go_without "flannel's CNI plugin: there is no go to build it with"
  elif ! CGO_ENABLED=0 GO111MODULE=on GOBIN=$folder GOFLAGS=-mod=mod GOTOOLCHAIN=local go install \
    -ldflags "-X $module/pkg/utils/buildversion.BuildVersion=$plugins" "$module/plugins/meta/flannel@$plugins"; then
    go_without "flannel's CNI plugin: $module $plugins cannot be built"
  fi
}

command -v python3 >/dev/null || skip "there is no python3"
environment stack requirements.txt
environment sam requirements-sam.txt
if [[ $("$root/.venv/node22/node_modules/.bin/node" --version 2>/dev/null) != "v$node22" ]]; then
  npm install --silent --no-save --no-package-lock --prefix "$root/.venv/node22" "node@$node22" ||
    skip "Node $node22 cannot be installed"
fi
flannel_plugin

cd "$root"
node infra/build.ts --quiet
# One file after the other: each has servers of its own.
exec node --test --test-concurrency=1 --test-reporter=spec "test/stack/**/*.test.ts"
