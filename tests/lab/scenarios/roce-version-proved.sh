# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# That probes are RoCEv2 is proved by their packets, and without the right to see these by datagrams, which say nothing of
# replies: that is UNKNOWN with what would show it.
in_tests_run=yes

# Of each direction of each pair: seen as UDP 4791 in the class that was ordered, requests and replies, both ways.
seen_on_the_wire='[.. | objects | select(has("wire")) | .wire]
  | length == 6 and all(.reading.outcome == "OUTCOME_OK" and ([.packets[]
      | select(.protocol == "WIRE_PROTOCOL_ROCE_V2" and .traffic_class == 106)
      | "\(.received) \(.role)"] | unique | length == 4) and all(.packets[]; .protocol == "WIRE_PROTOCOL_ROCE_V2"))'

# Of each direction as well: every datagram arrived as RoCEv2 in that class, by the header before it.
seen_before_datagrams='[.. | objects | select(has("arrived")) | .arrived | select(. != [])]
  | length == 6 and all(length == 1 and .[0].protocol == "WIRE_PROTOCOL_ROCE_V2" and .[0].traffic_class == 106)'

play() {
  audit denied
  require_verdict denied READY
  require_json denied '.verdict.coverage.ways_seen_rocev2 == "6"'
  require_json denied '[.. | objects | select(.check_id? == "probe.traffic-class" and .status? == "CHECK_STATUS_UNKNOWN")]
    | length == 6 and all(.reason | test("datagrams arrive with DSCP 26.*DENIED, needs CAP_NET_RAW, or roceready-agent-privileged.socket started"))'
  probe_results denied > "$scenario_work/denied-probes.json"
  jq --exit-status "$seen_before_datagrams" "$scenario_work/denied-probes.json" > /dev/null ||
    { say "not all datagrams arrived as ordered:" && jq '[.. | objects | select(has("arrived")) | .arrived]' "$scenario_work/denied-probes.json" >&2 && return 1; }
  start_privileged_program host1 host2 host3
  audit seen
  require_verdict seen READY
  require_json seen '[.. | objects | select((.check_id? // "") | test("^probe[.]")) | select(.status? != null)] == []'
  probe_results seen > "$scenario_work/probes.json"
  jq --exit-status "$seen_on_the_wire" "$scenario_work/probes.json" > /dev/null ||
    { say "not all probes were seen as ordered:" && jq '[.. | objects | select(has("wire")) | .wire]' "$scenario_work/probes.json" >&2 && return 1; }
  mend
}
mend() { stop_privileged_program host1 host2 host3; }
