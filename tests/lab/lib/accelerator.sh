# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# KVM or software emulation. /dev/kvm can be there and still not work (on nested machines a guest hangs
# or QEMU stops at an assertion), so the only proof is a guest that comes up.

proof_seconds=10 # with KVM a guest is up in 2; a busy machine may need longer

kvm_boots() {
  timeout --kill-after=1 "$proof_seconds" qemu-system-x86_64 -machine q35 -accel kvm -cpu host \
    -m 256 -nodefaults -display none -no-reboot -serial stdio \
    -kernel "$kernel_image" -initrd "$initramfs" \
    -append "console=ttyS0 quiet panic=-1 lab.role=proof" < /dev/null 2> /dev/null 8>&- |
    grep -q 'lab: alive'
}

# Prints the value of QEMU's -accel. The answer holds until the machine is booted again.
find_accelerator() {
  local answer
  answer=$(cache_directory)/accelerator-$(< /proc/sys/kernel/random/boot_id)
  if [ -n "${LAB_ACCELERATOR:-}" ]; then
    echo "$LAB_ACCELERATOR"
    return
  fi
  if [ ! -s "$answer" ]; then
    if [ ! -w /dev/kvm ]; then
      say "software emulation: no /dev/kvm that we may write"
      echo tcg,thread=multi > "$answer"
    elif kvm_boots; then
      echo kvm > "$answer"
    else
      say "software emulation: with KVM no guest came up within $proof_seconds s"
      echo tcg,thread=multi > "$answer"
    fi
  fi
  cat "$answer"
}
