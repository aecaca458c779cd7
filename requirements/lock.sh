#!/bin/sh
# Write the lock files: pinned versions with hashes for every supported Python, without addresses.
# Usage: sh requirements/lock.sh path/to/uv
set -eu
uv=$1
cd "$(dirname "$0")/.."
week_ago=$(date -u -d '7 days ago' +%Y-%m-%dT00:00:00Z 2>/dev/null || date -u -v-7d +%Y-%m-%dT00:00:00Z)
common="--universal --python-version 3.11 --generate-hashes --no-header --no-annotate
        --no-emit-index-url --no-emit-find-links -c requirements/constraints.in --exclude-newer $week_ago"
# shellcheck disable=SC2086
"$uv" pip compile $common --extra cpsat --extra pettingzoo \
    -o requirements/run.txt pyproject.toml requirements/build.in
extras="--extra cpsat --extra pettingzoo --extra openai --extra anthropic --extra google
        --extra clip --extra figures --extra parquet --extra otel --extra video"
# shellcheck disable=SC2086
"$uv" pip compile $common $extras --group dev \
    -c requirements/run.txt -o requirements/dev.txt pyproject.toml requirements/build.in
# shellcheck disable=SC2086
"$uv" pip compile $common $extras --group dev --group ci --extra ray --extra mlflow --extra local --extra thor \
    -c requirements/dev.txt -o requirements/ci.txt pyproject.toml requirements/build.in
# shellcheck disable=SC2086
"$uv" pip compile $common --group docs \
    -c requirements/ci.txt -o requirements/docs.txt pyproject.toml requirements/build.in
