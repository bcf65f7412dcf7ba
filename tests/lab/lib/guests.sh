# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Boots guests, waits for them, asks their QEMU.

guest_megabytes=${LAB_GUEST_MEGABYTES:-512}
boot_seconds=${LAB_BOOT_SECONDS:-240}           # emulated, on a machine that compiles beside it
lifetime_seconds=${LAB_LIFETIME_SECONDS:-14400} # a lab that nobody ends, ends by itself
shell_port=7000                                 # of lab exec, inside a guest

# QEMU runs in the state directory, because the path of a socket may have no more than 107 bytes.
start_guest() { # NAME ROLE NUMBER
  local name=$1 role=$2 number=$3
  local own=guests/$name cpu=max arguments port
  if [ "$accelerator" = kvm ]; then
    cpu=host
  fi
  mkdir -p "$lab_dir/$own" "$lab_dir/share/$name"
  arguments=(
    -name "lab-$name" -machine q35 -accel "$accelerator" -cpu "$cpu" -smp 1 -m "$guest_megabytes"
    -nodefaults -no-user-config -display none -no-reboot
    -serial "file:$own/console" -monitor "unix:$own/monitor,server=on,wait=off"
    -kernel "$kernel_image" -initrd "$initramfs" -append "$(boot_line "$name" "$role" "$number")"
    -virtfs "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap"
    -virtfs "local,path=share,mount_tag=share,security_model=none,multidevs=remap"
    -virtfs "local,path=$programs,mount_tag=programs,security_model=none,readonly=on,multidevs=remap"
    # Port 0: a free one, found by the build machine's kernel and asked for afterwards.
    -netdev "user,id=build,ipv6=off,hostfwd=tcp:127.0.0.1:0-:$shell_port"
    -device "virtio-net-pci,netdev=build,mac=$(mac 0a "$number")"
  )
  if [ "$role" = host ]; then
    # A PCI Express port of its own, so that link speed and width can be read as on a real host.
    arguments+=(
      -device "pcie-root-port,id=slot1,chassis=1,x-speed=2_5,x-width=1"
      -netdev "stream,id=wire,server=off,addr.type=unix,addr.path=wires/$name"
      -device "virtio-net-pci,id=nic1,bus=slot1,netdev=wire,host_mtu=9000,mac=$(mac 77 "$number")"
      # Empty: for what is plugged in later (lab monitor GUEST device_add MODEL,bus=slot2).
      -device "pcie-root-port,id=slot2,chassis=2" -device "pcie-root-port,id=slot3,chassis=3"
    )
  else
    for port in $(seq "$hosts"); do
      arguments+=(
        -netdev "stream,id=wire$port,server=on,addr.type=unix,addr.path=wires/host$port"
        -device "virtio-net-pci,id=port$port,netdev=wire$port,host_mtu=9000,mac=$(mac cc "$port")"
      )
    done
  fi
  (
    cd "$lab_dir"
    # 7 and 8 are our locks: a guest that outlives us must not hold them. The process to remember is
    # timeout; should it be killed, QEMU is to go with it.
    exec setsid timeout --kill-after=5 "$lifetime_seconds" setpriv --pdeathsig KILL \
      qemu-system-x86_64 "${arguments[@]}" < /dev/null > "$own/qemu.log" 2>&1 7>&- 8>&-
  ) &
  remember_process "$lab_dir/$own/pid" $!
}

boot_line() { # NAME ROLE NUMBER
  echo "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check random.trust_cpu=on net.ifnames=0" \
    "lab.name=$1 lab.role=$2 lab.number=$3 lab.hosts=$hosts lab.shell_port=$shell_port" \
    "lab.init=$([ "$2" = host ] && echo "$host_init")"
}

# KIND tells setup in the guest what the NIC is for.
mac() { # KIND NUMBER
  printf '52:54:00:%s:00:%02x' "$1" "$2"
}

guest_lives() { process_lives "$lab_dir/guests/$1/pid"; }

all_live() {
  local guest
  for guest in $(guest_names); do
    guest_lives "$guest" || return 1
  done
}

end_guests() {
  local guest
  for guest in $(guest_names); do
    end_process "$lab_dir/guests/$guest/pid"
  done
}

# A host's NIC connects when its QEMU starts, so the switch must be listening by then.
wait_for_wires() {
  local port
  for port in $(seq "$hosts"); do
    for _ in $(seq 100); do
      [ ! -S "$lab_dir/wires/host$port" ] || continue 2
      guest_lives switch || break
      sleep 0.1
    done
    complain_of_guest switch "did not open port $port"
  done
}

wait_until_ready() { # NAME
  local name=$1
  local deadline=$((SECONDS + boot_seconds))
  until [ -e "$lab_dir/share/$name/ready" ]; do
    [ ! -e "$lab_dir/share/$name/failed" ] || complain_of_guest "$name" "could not be set up"
    guest_lives "$name" || complain_of_guest "$name" "died"
    [ $SECONDS -lt $deadline ] || complain_of_guest "$name" "was not up within $boot_seconds s"
    sleep 0.2
  done
  learn_shell_port "$name"
  until (verb_exec -n "$name" true) 2> /dev/null; do
    [ $SECONDS -lt $deadline ] || complain_of_guest "$name" "does not answer lab exec"
    sleep 0.2
  done
  if [ "$host_init" = systemd ] && [ "$name" != switch ]; then
    # "degraded" is as good: some unit of the build machine's systemd may not like to be a guest.
    (verb_exec -n "$name" systemctl is-system-running --wait) > /dev/null || true
  fi
}

complain_of_guest() { # NAME WHAT
  say "$1 $2; it said:"
  tail -n 15 "$lab_dir/guests/$1/console" "$lab_dir/guests/$1/qemu.log" >&2 || true
  exit 1
}

# The monitor greets, echoes what it is told key by key, and prompts: only the answer is passed on.
qemu_monitor() { # NAME COMMAND...
  local name=$1
  shift
  (cd "$lab_dir" && echo "$*" | socat -t 2 - "UNIX-CONNECT:guests/$name/monitor") |
    tr -d "\r" | sed -e "1d" -e "/^(qemu)/d"
}

# "TCP[HOST_FORWARD] 13 127.0.0.1 43567 10.0.2.15 7000 0 0" -> 43567
learn_shell_port() { # NAME
  qemu_monitor "$1" info usernet | awk '/HOST_FORWARD/ { print $4 }' > "$lab_dir/guests/$1/port"
  [ -s "$lab_dir/guests/$1/port" ] || die "QEMU of $1 does not tell its forwarded port"
}
