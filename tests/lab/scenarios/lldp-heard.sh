# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the switch says by LLDP on a host's port is heard by the agent and known to the controller.
#
# Without the privileged program the reading is DENIED and says what to start; with it, frames that the switch guest
# sends on the port are decoded field by field, several speakers are several, one that says goodbye is gone, and a
# malformed one is refused with its byte. lldpd listens beside us (receive only) and must have understood the same (all that
# frames can say: tests/conformance/lldp).
in_tests_run=no

heard_seconds=60

# Frames of lldpd 1.0.16, see tests/unit/agent/lldp/frames.h; the TTL is 120 s here.
header=0180c200000e525400aa000188cc
speaker=020704525400aa00010405076574703106020078
leaf1=0a056c65616631
dcbx=fe060080c20b0808fe0b0080c20c006312b765001afe0600120f042400fe0b0080c203006404526f4345
half=fe190080c209000001000032320000000000000202000000000000
other=020704525400aa00020405076574703906020078
goodbye=020704525400aa000104050765747031060200000000
cut_pfc=fe050080c20b08

# A bridge passes no LLDP on: what is sent to the port's device leaves by it.
say_on_port() { # HEX
  # A frame may come through a pipe in pieces, which would each become one.
  # shellcheck disable=SC2059 # the format is the frame
  printf "$(sed 's/../\\x&/g' <<< "$1")" |
    verb_exec switch sh -c 'cat > /tmp/frame && socat -u OPEN:/tmp/frame INTERFACE:port2'
}

known() { client facts host2 2> /dev/null | jq --exit-status ".facts | $1" > /dev/null 2>&1; }
lldp='.net_devices[] | select(.name == "eth0") | .lldp'

known_soon() { # WHAT EXPRESSION
  local began=$SECONDS
  until known "$2"; do
    if [ $((SECONDS - began)) -gt $heard_seconds ]; then
      say "$1: not known to the controller after $heard_seconds s; it has:"
      client facts host2 | jq "[.facts | $lldp]" >&2
      return 1
    fi
    sleep 0.2
  done
  say "$1: known to the controller after $((SECONDS - began)) s"
}

mend() {
  # shellcheck disable=SC2016 # expanded in the guest
  on host2 sh -c '[ ! -s /run/lldpd.pid ] || kill "$(cat /run/lldpd.pid)"' || true
  stop_privileged_program host2
}

# lldpd beside us, receive only: what it decodes is what we decode.
compare_with_lldpd() {
  local theirs
  if ! on host2 sh -c 'command -v lldpd > /dev/null'; then
    say "lldpd is not installed (deploy/packages/lab.txt), so nothing is compared with it"
    return 1
  fi
  on host2 sh -c 'mkdir -p /run/lldpd && lldpd -r -I eth0 -O /dev/null'
  known_soon "lldpd runs on the host" '.lldp_daemons.running | index("lldpd")' || return 1
  say_on_port "$header$speaker$leaf1$dcbx${half}0000"
  theirs=$scenario_work/lldpcli.json
  on host2 lldpcli -f json show neighbors details > "$theirs"
  jq --exit-status --slurpfile ours <(client facts host2) '
    .lldp.interface as $i | ($i.eth0 // ($i[] | .eth0)) as $theirs
    | ($ours[0].facts.net_devices[] | select(.name == "eth0") | .lldp.neighbours[0]) as $n
    | ($theirs.chassis.leaf1.id.value == $n.chassis_id)
      and ($theirs.port.id.value == $n.port_id)
      and (($theirs.port.ttl | tonumber) == $n.ttl_seconds)
      and (($theirs.port.mfs | tonumber) == $n.max_frame_bytes)
      and (($theirs.vlan["vlan-id"] | tonumber) == $n.vlans[0].vlan_id)' "$theirs" > /dev/null ||
    { say "lldpd understood otherwise:" && jq . "$theirs" >&2 && return 1; }
  say "lldpd understood the same"
}

play() {
  known_soon "DENIED without the privileged program" \
    "$lldp.reading | .outcome == \"OUTCOME_DENIED\" and (.needs | test(\"CAP_NET_RAW\"))"
  start_privileged_program host2
  known_soon "listening" "$lldp.reading | .outcome == \"OUTCOME_ABSENT\""
  say_on_port "$header$speaker$leaf1$dcbx${half}0000"
  known_soon "leaf1" "any($lldp.neighbours[]; .system_name == \"leaf1\" and .port_id == \"etp1\"
    and .chassis_id == \"52:54:00:aa:00:01\" and .max_frame_bytes == 9216 and .ttl_seconds == 120
    and .dcb.pfc.enabled_priorities == [3] and .dcb.ets.tx_bandwidth_percent[0:2] == [50, 50]
    and .vlans == [{\"vlan_id\": 100, \"name\": \"RoCE\"}]
    and any(.dcb.app.entries[]; .selector == \"udp-port\" and .priority == 3 and .protocols == [4791]))"
  compare_with_lldpd
  say_on_port "$header${other}0000"
  known_soon "a second speaker" "$lldp.neighbours | length == 2"
  say_on_port "$header$speaker$leaf1${cut_pfc}0000"
  known_soon "a malformed TLV" "any($lldp.neighbours[]; .system_name == \"leaf1\"
    and .dcb.pfc.reading.outcome == \"OUTCOME_FAILED\" and (.refused_tlvs[0] | test(\"byte\")))"
  say_on_port "$header$goodbye"
  known_soon "leaf1 said goodbye" "$lldp.neighbours | length == 1 and .[0].port_id == \"etp9\""
  mend
}
