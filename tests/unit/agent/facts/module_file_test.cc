// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/module_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "agent/facts/kernel.h"
#include "tests/support/fixture_tree.h"

namespace roceready::facts {
namespace {

template <typename Struct>
void Append(const Struct& value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Note(uint32_t type, std::string_view description) {
  std::string note;
  Append(Elf64_Nhdr{4, static_cast<uint32_t>(description.size()), type}, &note);
  note.append("GNU\0", 4).append(description);
  note.append((4 - note.size() % 4) % 4, '\0');
  return note;
}

// A module file with these two sections.
std::string Elf(const std::string& notes, const std::string& modinfo) {
  const std::string names("\0.note.gnu.build-id\0.modinfo\0.shstrtab\0", 39);
  std::string body;
  std::string table;
  Append(Elf64_Shdr{}, &table);
  const auto add = [&](std::string_view name, const std::string& bytes) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<uint32_t>(names.find(name));
    section.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    section.sh_size = bytes.size();
    Append(section, &table);
    body += bytes;
  };
  add(".note.gnu.build-id", notes);
  add(".modinfo", modinfo);
  add(".shstrtab", names);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shoff = sizeof(header) + body.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 3;
  std::string file;
  Append(header, &file);
  return file + body + table;
}

TEST(ModuleFile, ReadsBuildIdAndSourceVersion) {
  FixtureTree tree;
  tree.File("/m.ko", Elf(Note(3, "\x01\xab"), std::string("a=b\0srcversion=53F\0", 19)));
  const auto file = ReadModuleFile(HostRoot(tree.path()), "/m.ko");
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->build_id, "01ab");
  EXPECT_EQ(file->srcversion, "53F");
}

TEST(ModuleFile, ACompressedFileIsUnsupportedAndNotWrong) {
  const auto file = ReadModuleFile(HostRoot("/nowhere"), "/m.ko.xz");
  EXPECT_TRUE(absl::IsUnimplemented(file.status()));
}

TEST(ModuleFile, WhatIsCutOrNoModuleIsRefused) {
  const std::string whole = Elf(Note(3, "\x01\xab"), "");
  for (const size_t size : {size_t{0}, size_t{10}, size_t{64}, whole.size() - 200}) {
    FixtureTree tree;
    tree.File("/m.ko", whole.substr(0, size));
    EXPECT_TRUE(absl::IsDataLoss(ReadModuleFile(HostRoot(tree.path()), "/m.ko").status())) << size;
  }
  FixtureTree tree;
  tree.File("/m.ko", std::string(4096, 'x'));
  EXPECT_TRUE(absl::IsDataLoss(ReadModuleFile(HostRoot(tree.path()), "/m.ko").status()));
}

TEST(ModuleFile, AnOffsetThatNoFileHasIsRefused) {
  std::string file = Elf(Note(3, "\x01\xab"), "");
  file[offsetof(Elf64_Ehdr, e_shoff) + 7] = '\xff';
  FixtureTree tree;
  tree.File("/m.ko", file);
  EXPECT_TRUE(absl::IsDataLoss(ReadModuleFile(HostRoot(tree.path()), "/m.ko").status()));
}

TEST(ModuleFile, FindsTheBuildIdAmongOtherNotes) {
  EXPECT_EQ(DecodeBuildId(Note(1, "abcde") + Note(3, "\x7f\x80")).value_or(""), "7f80");
  EXPECT_TRUE(absl::IsDataLoss(DecodeBuildId(Note(1, "abcde")).status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodeBuildId(Note(3, "abcdefgh").substr(0, 18)).status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodeBuildId(Note(3, "")).status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodeBuildId("").status()));
}

TEST(ModuleFile, FindsTheFileByTheModulesName) {
  const std::string list =
      "kernel/a/mlx5_ib.ko: kernel/b\nupdates/mlx5-core.ko.xz:\nkernel/mlx5_cor.ko:";
  EXPECT_EQ(FindModulePath(list, "mlx5_ib").value_or(""), "kernel/a/mlx5_ib.ko");
  EXPECT_EQ(FindModulePath(list, "mlx5_core").value_or(""), "updates/mlx5-core.ko.xz");
  EXPECT_TRUE(absl::IsNotFound(FindModulePath(list, "mlx5").status()));
}

TEST(ModuleFile, ALoadedModuleIsHeldAgainstItsFile) {
  FixtureTree tree;
  tree.File("/proc/sys/kernel/osrelease", "6.1.0")
      .File("/proc/stat", "cpu 1 2\nbtime 1764430000\n");
  tree.File("/sys/module/mlx5_core/initstate", "live");
  tree.File("/sys/module/mlx5_core/notes/.note.gnu.build-id", Note(3, "\x01\x02"));
  tree.File("/lib/modules/6.1.0/modules.dep", "updates/mlx5_core.ko:");
  tree.File("/lib/modules/6.1.0/updates/mlx5_core.ko", Elf(Note(3, "\x01\x03"), ""));
  const v1::KernelFacts kernel = ReadKernel(HostRoot(tree.path()));
  EXPECT_EQ(kernel.boot_time_seconds(), 1764430000u);
  ASSERT_EQ(kernel.modules_size(), 1);
  EXPECT_EQ(kernel.modules(0).build_id(), "0102");
  EXPECT_EQ(kernel.modules(0).build_id_on_disk(), "0103");
  EXPECT_EQ(kernel.modules(0).on_disk().outcome(), v1::OUTCOME_OK);

  tree.Remove("/lib/modules");
  const v1::KernelFacts without = ReadKernel(HostRoot(tree.path()));
  EXPECT_FALSE(without.modules(0).has_build_id_on_disk());
  EXPECT_EQ(without.modules(0).on_disk().outcome(), v1::OUTCOME_ABSENT);
}

}  // namespace
}  // namespace roceready::facts
