# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Words for the tests of this folder: each check is a line of output; `finish` ends with status 1 if one failed.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# Words beyond the description are a command, run in a shell of its own: it may call functions, and what it says is
# shown when it fails.
check() { # DESCRIPTION COMMAND...
  local description=$1
  shift
  if ("$@") > "$work/said" 2>&1; then
    echo "ok      $description"
  else
    echo "FAILED  $description"
    sed 's/^/        /' "$work/said"
    failures=$((failures + 1))
  fi
}

equal() { # FOUND EXPECTED
  [ "$1" = "$2" ] || { echo "found '$1', expected '$2'" && return 1; }
}

# Output of COMMAND has a line that matches, or has none.
says() { # PATTERN COMMAND...
  local pattern=$1 output
  shift
  output=$("$@" 2>&1) || true
  grep -Eq -- "$pattern" <<< "$output" || { echo "nothing like '$pattern' in: $output" && return 1; }
}

says_nothing() { # COMMAND...
  local output
  output=$("$@" 2>&1) || { echo "status $?: $output" && return 1; }
  equal "$output" ""
}

fails_with() { # STATUS COMMAND...
  local expected=$1 status=0
  shift
  "$@" || status=$?
  equal "$status" "$expected"
}

finish() {
  [ $failures -eq 0 ] || { echo "$0: $failures checks failed" && exit 1; }
}
