# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What scenarios ask of an audit. The only place that knows the client's command line and its JSON.

audit_seconds=120 # for facts and probes of three emulated hosts, beside a compiler

# Audits every host; keeps the report as NAME.json, its root causes as NAME.causes and the client's exit
# status as NAME.status: 0 to 3 tell a verdict, everything else is an error.
audit() { # NAME [OPTION...]
  local name=$1 status=0
  shift
  [ -z "${audit_policy:-}" ] || set -- --policy "$audit_policy" "$@"
  # Other probes than usual (audit_plan=incast:2), where there are any.
  [ -z "${audit_plan:-}" ] || [[ " $* " == *" --no-probes "* ]] || set -- --plan "$audit_plan" "$@"
  client audit --hosts "host[1-$hosts]" --budget "${audit_seconds}s" --output json "$@" \
    > "$scenario_work/$name.json" 2> "$scenario_work/$name.stderr" || status=$?
  echo $status > "$scenario_work/$name.status"
  case $status in
    0 | 1 | 2 | 3) ;;
    *)
      cat "$scenario_work/$name.stderr" >&2
      say "the audit ended with status $status"
      return 1
      ;;
  esac
  root_causes "$name" > "$scenario_work/$name.causes"
}

require_status() { # NAME EXIT_STATUS
  [ "$(< "$scenario_work/$1.status")" = "$2" ] && return
  say "the client of the audit '$1' ended with status $(< "$scenario_work/$1.status"), not $2"
  return 1
}

verdict() { # NAME
  jq --raw-output '[.. | .readiness? // empty][0] | ltrimstr("READINESS_")' "$scenario_work/$1.json"
}

# Every finding that follows from no other, in the words of `fails` and `unknown`, sorted. What is of no one host
# (an address that two hosts have) goes by its group (the address).
root_causes() { # NAME
  jq --raw-output '
    [.. | objects | select(has("check_id") and has("status") and has("subject"))]
    | unique_by(.key)[]
    | select((.caused_by // "") == "")
    | select(.status == "CHECK_STATUS_FAIL" or .status == "CHECK_STATUS_UNKNOWN")
    | (.status | ltrimstr("CHECK_STATUS_")) + " " + .check_id + " "
      + (if (.subject.host // "") == "" then .subject.group else .subject.host end)
      + (if (.subject.peer_host // "") == "" then "" else ">" + .subject.peer_host end)
    ' "$scenario_work/$1.json" | LC_ALL=C sort -u
}

require_verdict() { # NAME VERDICT
  local found
  found=$(verdict "$1")
  [ "$found" = "$2" ] && return
  say "the audit '$1' says $found where $2 was expected, for:"
  cat "$scenario_work/$1.causes" >&2
  return 1
}

# Exactly what `expect` says has come since the audit BEFORE.
require_root_causes() { # NAME BEFORE
  local found expected
  found=$(LC_ALL=C comm -13 "$scenario_work/$2.causes" "$scenario_work/$1.causes")
  expected=$(expect | LC_ALL=C sort -u)
  [ "$found" = "$expected" ] && return
  say "the audit '$1' found not what was expected (-) but (+):"
  diff <(echo "$expected") <(echo "$found") | sed -n 's/^< /- /p; s/^> /+ /p' >&2
  return 1
}

# What was unknown before may be known since: a device's counters at a second look.
require_no_new_root_causes() { # NAME BEFORE
  local new
  new=$(LC_ALL=C comm -13 "$scenario_work/$2.causes" "$scenario_work/$1.causes")
  [ -z "$new" ] && return
  say "the audit '$1' finds what '$2' had not:"
  echo "$new" >&2
  return 1
}

# Nothing is called a FAIL, root cause or not.
require_no_failure() { # NAME
  local failures
  failures=$(jq --raw-output '.. | objects | select(.status? == "CHECK_STATUS_FAIL") | .key' \
    "$scenario_work/$1.json")
  [ -z "$failures" ] && return
  say "the audit '$1' was to fail nothing, but did: $failures"
  return 1
}

# Some unknown of this check gives TEXT as its reason.
require_reason() { # NAME CHECK TEXT
  jq --exit-status --arg check "$2" --arg text "$3" '
    [.. | objects | select(.check_id? == $check and .status? == "CHECK_STATUS_UNKNOWN")]
    | any(.reason | contains($text))' "$scenario_work/$1.json" > /dev/null && return
  say "the audit '$1' has no unknown $2 with the reason '$3'"
  return 1
}

require_json() { # NAME EXPRESSION
  jq --exit-status "$2" "$scenario_work/$1.json" > /dev/null && return
  say "of the audit '$1' this does not hold: $2"
  return 1
}

# What both ends of each probe of the audit reported.
probe_results() { # NAME
  local id pki=$lab_dir/cluster/pki
  id=$(jq --raw-output '[.. | .audit_id? // empty][0]' "$scenario_work/$1.json")
  curl --silent --show-error --fail --cacert "$pki/ca.crt" --cert "$pki/client.crt" --key "$pki/client.key" \
    "$(< "$lab_dir/cluster/rest_address")/v1/audits/$id/probes"
}

# The client said TEXT, on either output.
require_text() { # NAME TEXT
  grep -qF -- "$2" "$scenario_work/$1.json" "$scenario_work/$1.stderr" && return
  say "the client of the audit '$1' does not say '$2'"
  return 1
}

# The controller still has the host's link, whatever the state of its facts.
require_linked() { # HOST
  local state
  state=$(client hosts "$1" --output json | jq --raw-output '[.. | .state? // empty][0]')
  case $state in
    HOST_STATE_CONNECTED | HOST_STATE_STALE) return ;;
  esac
  say "the controller calls $1 $state"
  return 1
}
