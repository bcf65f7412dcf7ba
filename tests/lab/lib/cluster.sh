# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# roceready in the lab: the controller on the build machine, an agent in each host.
#
#   DIR/cluster/pki/           the lab's own certificate authority and what it issued
#   DIR/cluster/controller.*   its configuration, process and log
#   DIR/cluster/client.yaml    for `roceready --config`
#   DIR/share/NAME/etc/        what becomes /etc/roceready in guest NAME

connect_seconds=120 # until the controller serves, and until every agent is connected: programs that start
                    # in an emulated guest take their time

verb_cluster() {
  [ -e "$lab_dir/up" ] || die "no lab is up in $lab_dir"
  read_settings
  case ${1:-} in
    up) cluster_up ;;
    down) cluster_down ;;
    *) usage_error "cluster up or cluster down?" ;;
  esac
}

cluster_up() {
  local host process starting=()
  end_process "$lab_dir/cluster/controller.pid"
  rm -rf "$lab_dir/cluster"
  mkdir -p "$lab_dir/cluster"
  issue_certificates
  write_controller_configuration
  start_controller
  for host in $(host_names); do
    write_agent_configuration "$host"
    (verb_exec -n "$host" start-agent stop)
    (verb_exec -n "$host" start-agent start) &
    starting+=($!)
  done
  for process in "${starting[@]}"; do
    wait "$process" || die "an agent did not start"
  done
  wait_until_connected
}

cluster_down() {
  local host
  for host in $(host_names); do
    ! guest_lives "$host" || (verb_exec -n "$host" start-agent stop)
  done
  end_process "$lab_dir/cluster/controller.pid"
}

host_names() { seq -f 'host%g' "$hosts"; }

# Where a program is below the directory of `lab up --bin`: a build folder, or an installed tree.
program_path() { # NAME
  local folder
  for folder in . bin agent controller controller/cli; do
    if [ -x "$programs/$folder/$1" ]; then
      echo "$programs/$folder/$1"
      return
    fi
  done
  die "no $1 below $programs; give its build folder: lab up --bin"
}

# ---- the controller -------------------------------------------------------------------------------

# Below the ports that the kernel gives to those who do not care which.
free_ports() { # COUNT
  local found=0 port
  while [ $found -lt "$1" ]; do
    port=$((20000 + RANDOM % 12000))
    if [ -z "$(ss --no-header --listening --tcp --numeric "sport = :$port")" ]; then
      echo $port
      found=$((found + 1))
    fi
  done
}

# The agents know the controller by the address that the build machine has in QEMU's user network.
issue_certificates() {
  local pki=$lab_dir/cluster/pki controller
  controller=$(program_path roceready-controller)
  mkdir -p "$pki"
  "$controller" pki ca --directory "$pki"
  "$controller" pki controller --directory "$pki" 127.0.0.1 10.0.2.2 localhost
  "$controller" pki client --directory "$pki" --role admin client
  # shellcheck disable=SC2046  # one argument a host
  "$controller" pki host --directory "$pki" $(host_names)
}

write_controller_configuration() {
  local ports pki=$lab_dir/cluster/pki
  mapfile -t ports < <(free_ports 3)
  echo "${ports[0]}" > "$lab_dir/cluster/agent_port"
  cp -r "$lab_source/../../checks/policy/policies" "$lab_dir/cluster/policies"
  cat > "$lab_dir/cluster/controller.yaml" <<END_YAML
agent_listen: "127.0.0.1:${ports[0]}"
api_listen: "127.0.0.1:${ports[1]}"
rest_listen: "127.0.0.1:${ports[2]}"
tls:
  ca: $pki/ca.crt
  certificate: $pki/controller.crt
  key: $pki/controller.key
state_directory: $lab_dir/cluster/state
policy_directory: $lab_dir/cluster/policies
default_policy: lab
END_YAML
  cat > "$lab_dir/cluster/client.yaml" <<END_YAML
controller: "127.0.0.1:${ports[1]}"
tls:
  ca: $pki/ca.crt
  certificate: $pki/client.crt
  key: $pki/client.key
END_YAML
  echo "https://127.0.0.1:${ports[2]}" > "$lab_dir/cluster/rest_address"
}

start_controller() {
  local deadline=$((SECONDS + connect_seconds))
  mkdir -p "$lab_dir/cluster/state"
  setsid "$(program_path roceready-controller)" run --config "$lab_dir/cluster/controller.yaml" \
    < /dev/null >> "$lab_dir/cluster/controller.log" 2>&1 7>&- 8>&- &
  remember_process "$lab_dir/cluster/controller.pid" $!
  until client hosts > /dev/null 2>&1; do
    if [ $SECONDS -ge $deadline ] || ! process_lives "$lab_dir/cluster/controller.pid"; then
      tail -n 15 "$lab_dir/cluster/controller.log" >&2
      die "the controller does not serve"
    fi
    sleep 0.2
  done
}

# Until it is gone: it holds its state directory while it dies.
kill_controller() {
  local deadline=$((SECONDS + settle_seconds))
  kill -KILL "$(controller_pid)"
  while process_lives "$lab_dir/cluster/controller.pid"; do
    [ $SECONDS -lt $deadline ] || die "the controller does not die"
    sleep 0.1
  done
}

controller_pid() { cut -d ' ' -f 1 "$lab_dir/cluster/controller.pid"; }

client() { "$(program_path roceready)" --config "$lab_dir/cluster/client.yaml" "$@"; }

# ---- the agents -----------------------------------------------------------------------------------

write_agent_configuration() { # HOST
  local etc=$lab_dir/share/$1/etc
  rm -rf "$etc"
  mkdir -p "$etc/pki"
  cp "$lab_dir/cluster/pki/ca.crt" "$etc/pki/ca.pem"
  cp "$lab_dir/cluster/pki/$1.crt" "$etc/pki/agent.pem"
  cp "$lab_dir/cluster/pki/$1.key" "$etc/pki/agent.key"
  cat > "$etc/agent.yaml" <<END_YAML
controller: 10.0.2.2:$(< "$lab_dir/cluster/agent_port")
tls:
  ca: /etc/roceready/pki/ca.pem
  certificate: /etc/roceready/pki/agent.pem
  key: /etc/roceready/pki/agent.key
# Through a way that a scenario made narrow, a transfer takes minutes.
probes:
  session: 300s
  incast: true
  queue_pairs: 32
END_YAML
}

wait_until_connected() {
  local deadline=$((SECONDS + connect_seconds))
  until client hosts "host[1-$hosts]" --output json 2> /dev/null |
    jq --exit-status '[.. | .state? // empty] | all(. == "HOST_STATE_CONNECTED")' > /dev/null; do
    if [ $SECONDS -ge $deadline ]; then
      client hosts "host[1-$hosts]" >&2 || true
      die "not every agent is connected within $connect_seconds s"
    fi
    sleep 0.5
  done
}
