# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# That probes are RoCEv2 is proved by their packets, and what cannot be seen is UNKNOWN with what would show it.
in_tests_run=yes

# Of each direction of each pair: seen as UDP 4791 in the class that was ordered, requests and replies, both ways.
seen_on_the_wire='[.. | objects | select(has("wire")) | .wire]
  | length == 6 and all(.reading.outcome == "OUTCOME_OK" and ([.packets[]
      | select(.protocol == "WIRE_PROTOCOL_ROCE_V2" and .traffic_class == 106)
      | "\(.received) \(.role)"] | unique | length == 4) and all(.packets[]; .protocol == "WIRE_PROTOCOL_ROCE_V2"))'

play() {
  audit denied
  require_verdict denied READY
  require_json denied '[.. | objects | select(.check_id? == "probe.roce-version" and .status? == "CHECK_STATUS_UNKNOWN")]
    | length == 6 and all(.reason | test("DENIED, needs CAP_NET_RAW, or roceready-agent-privileged.socket started"))'
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
