# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the comparing scripts share. FACTS is our answer, BEFORE and AFTER are folders with what the
# counting tools said before and after it.
#
# A jq costs a second in an emulated guest. So a script puts all it compares into one JSON object on
# each side, with the same keys, and `same_each` compares them key by key.
set -euo pipefail

compared=0
differences=0

# ours FILTER [ARG...]: something of our facts as compact JSON with sorted keys.
ours() {
  local filter=$1
  shift
  jq -S -c "$@" "$filter" "$FACTS"
}
# canonical JSON from standard input
canonical() { jq -S -c "$@"; }

is_known_fault() { grep -qxF "$1" <<< "$(grep -v '^#' "$HERE/known_faults" | cut -d' ' -f1)"; }

# same NAME OURS THEIRS
same() {
  compared=$((compared + 1))
  if [[ $2 == "$3" ]]; then
    return
  fi
  if is_known_fault "$1"; then
    printf 'known   %s\n        ours   %s\n        theirs %s\n' "$1" "$2" "$3"
    return
  fi
  printf 'DIFFERS %s\n        ours   %s\n        theirs %s\n' "$1" "$2" "$3"
  differences=$((differences + 1))
}

# same_each PREFIX OURS THEIRS: two JSON objects; a key that one of them lacks differs too.
same_each() {
  local key one other
  while IFS=$'\t' read -r key one other; do
    same "$1.$key" "$one" "$other"
  done < <(jq -n -r --argjson ours "$2" --argjson theirs "$3" '($ours + $theirs | keys[]) as $key
    | [$key, ($ours[$key] | tojson), ($theirs[$key] | tojson)] | join("\t")')
}

# between NAME BEFORE OURS AFTER: numbers
between() {
  compared=$((compared + 1))
  if [[ $3 =~ ^[0-9]+$ ]] && (($2 <= $3 && $3 <= $4)); then
    return
  fi
  printf 'DIFFERS %s\n        %s <= ours %s <= %s does not hold\n' "$1" "$2" "${3:-nothing}" "$4"
  differences=$((differences + 1))
}

# finish LEAST: fails on differences, and when fewer than LEAST things were compared.
finish() {
  printf '%-8s %d compared, %d differ\n' "$(basename "$0")" "$compared" "$differences"
  if ((compared < $1)); then
    printf '         but at least %d were to be compared\n' "$1"
    exit 1
  fi
  ((differences == 0))
}
