# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What guests boot: a kernel and an initramfs with our part of a guest in it. Built once for each
# content of its sources and kept in the build directory, beside the labs that use it.

# Modules that must be there before /lib/modules of the build machine's root can be reached.
boot_modules=(virtio_pci virtio_net 9p 9pnet_virtio overlay)

cache_directory() { echo "${LAB_CACHE:-$(build_directory)/cache}"; }

# The newest stock kernel that we can also build a module for.
find_kernel() {
  local vmlinuz release
  while read -r vmlinuz; do
    release=${vmlinuz#/boot/vmlinuz-}
    if [ -d "/lib/modules/$release/build/include" ]; then
      echo "$release"
      return
    fi
  done < <(find /boot -name 'vmlinuz-*-amd64' ! -name '*-cloud-amd64' ! -name '*-rt-amd64' | sort -rV)
  die "no kernel with headers: install linux-image-amd64 and linux-headers-amd64"
}

# built NAME KEY_FILES... -- BUILDER: prints the path of an artifact, building it unless it is there.
# BUILDER gets the path to write. The path carries a digest of the kernel's release and the key files.
built() {
  local name=$1 key_files=() digest path
  shift
  while [ "$1" != -- ]; do
    key_files+=("$1")
    shift
  done
  shift
  digest=$({
    echo "$kernel_release"
    find "${key_files[@]}" -type f -print0 | sort -z | xargs -0 cat
  } | sha256sum | cut -c 1-16)
  path=$(cache_directory)/$digest-$name
  if [ ! -e "$path" ]; then
    "$@" "$path.part"
    mv "$path.part" "$path"
  fi
  echo "$path"
}

# Debian's vmlinuz is an xz-compressed ELF file behind a boot header (Documentation/x86/boot.rst).
# Unpacked once here, it need not be unpacked by every guest: that takes 3 s each when emulated.
unpack_kernel() { # OUTPUT
  local vmlinuz=/boot/vmlinuz-$kernel_release
  local setup_sectors payload_offset payload_bytes
  setup_sectors=$(od -An -t u1 -j $((0x1f1)) -N 1 "$vmlinuz")
  payload_offset=$(od -An -t u4 -j $((0x248)) -N 4 "$vmlinuz")
  payload_bytes=$(od -An -t u4 -j $((0x24c)) -N 4 "$vmlinuz")
  # The last four bytes of the payload are the unpacked size, not xz.
  tail -c "+$(((setup_sectors + 1) * 512 + payload_offset + 1))" "$vmlinuz" |
    head -c "$((payload_bytes - 4))" | xz -dc > "$1" 2> /dev/null || true
  if [ "$(head -c 4 "$1" | tail -c 3)" != ELF ]; then
    cp "$vmlinuz" "$1" # packed in another way: slower to boot, as good otherwise
  fi
}

build_shell() { # OUTPUT
  "${CC:-cc}" -O2 -Wall -Wextra -o "$1" "$lab_source/shell/lab_shell.c"
}

build_testnic() { # OUTPUT
  local directory
  directory=$(mktemp -d "$(cache_directory)/testnic.XXXXXX")
  cp "$lab_source"/testnic/* "$directory/"
  if ! make -C "$directory" KDIR="/lib/modules/$kernel_release/build" > "$directory/log" 2>&1; then
    cat "$directory/log" >&2
    die "testnic.ko does not build against $kernel_release"
  fi
  strip --strip-debug "$directory/testnic.ko"
  mv "$directory/testnic.ko" "$1"
  rm -rf "$directory"
}

build_initramfs() { # OUTPUT
  local tree module file
  tree=$(mktemp -d "$(cache_directory)/initramfs.XXXXXX")
  mkdir -p "$tree"/{bin,modules,proc,sys,dev,newroot,host,overlay,lab}
  cp /bin/busybox "$tree/bin/"
  for module in "${boot_modules[@]}"; do
    modprobe -S "$kernel_release" --show-depends "$module"
  done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' > "$tree/modules/files"
  while read -r file; do
    cp "$file" "$tree/modules/"
    basename "$file" >> "$tree/modules/order"
  done < "$tree/modules/files"
  cp "$lab_source"/guest/* "$tree/lab/"
  cp "$shell_program" "$tree/lab/lab_shell"
  cp "$testnic_module" "$tree/lab/testnic.ko"
  mv "$tree/lab/init" "$tree/init"
  (cd "$tree" && find . | cpio -o -H newc --quiet | gzip -1) > "$1"
  rm -rf "$tree"
}

# Sets kernel_image, initramfs and shell_program.
prepare_image() {
  mkdir -p "$(cache_directory)"
  exec 7> "$(cache_directory)/.lock"
  flock 7
  kernel_release=$(find_kernel)
  kernel_image=$(built vmlinux "/boot/vmlinuz-$kernel_release" -- unpack_kernel)
  shell_program=$(built lab_shell "$lab_source/shell" -- build_shell)
  testnic_module=$(built testnic.ko "$lab_source/testnic" -- build_testnic)
  initramfs=$(built initramfs "$lab_source/guest" "$shell_program" "$testnic_module" \
    "$lab_source/lib/image.sh" /bin/busybox -- build_initramfs)
  exec 7>&-
}
