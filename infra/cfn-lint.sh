#!/usr/bin/env bash
# Lints template.yaml, or the files given, with the cfn-lint of requirements.txt; it lives in .venv/ beside package.json.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=$here/../.venv
if [[ ! -x $venv/bin/cfn-lint ]] || ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/requirements.txt"
fi
exec "$venv/bin/cfn-lint" "${@:-$here/template.yaml}"
