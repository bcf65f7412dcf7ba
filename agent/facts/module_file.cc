// SPDX-License-Identifier: Apache-2.0
#include "agent/facts/module_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace roceready::facts {
namespace {

constexpr uint32_t kNoteBuildId = 3;  // NT_GNU_BUILD_ID
// Far above what any module has; a file that claims more is not a module.
constexpr uint64_t kMostSections = 4096;
constexpr uint64_t kLargestSection = 1 << 20;
constexpr uint64_t kLargestOffset = uint64_t{1} << 32;

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

template <typename Struct>
absl::StatusOr<Struct> Take(std::string_view bytes, size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Struct)) {
    return DataLoss("cut at offset {}", offset);
  }
  Struct value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

absl::StatusOr<std::string> ReadSection(const HostRoot& root, const std::string& path,
                                        const Elf64_Shdr& section) {
  if (section.sh_size > kLargestSection || section.sh_offset > kLargestOffset) {
    return DataLoss("section of {} bytes at {}", section.sh_size, section.sh_offset);
  }
  ASSIGN_OR_RETURN(std::string bytes, root.ReadPart(path, section.sh_offset, section.sh_size));
  if (bytes.size() != section.sh_size) return DataLoss("section is cut");
  return bytes;
}

absl::StatusOr<std::vector<Elf64_Shdr>> ReadSections(const HostRoot& root, const std::string& path,
                                                     const Elf64_Ehdr& header) {
  const bool plain = header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum > 0 &&
                     header.e_shnum <= kMostSections && header.e_shstrndx < header.e_shnum &&
                     header.e_shoff <= kLargestOffset;
  if (!plain) return DataLoss("{} sections of {} bytes", header.e_shnum, header.e_shentsize);
  ASSIGN_OR_RETURN(
      const std::string table,
      root.ReadPart(path, header.e_shoff, sizeof(Elf64_Shdr) * size_t{header.e_shnum}));
  std::vector<Elf64_Shdr> sections;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    ASSIGN_OR_RETURN(const Elf64_Shdr section, Take<Elf64_Shdr>(table, i * sizeof(Elf64_Shdr)));
    sections.push_back(section);
  }
  return sections;
}

absl::StatusOr<ModuleFile> ReadElf(const HostRoot& root, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string start, root.ReadPart(path, 0, sizeof(Elf64_Ehdr)));
  ASSIGN_OR_RETURN(const Elf64_Ehdr header, Take<Elf64_Ehdr>(start, 0));
  const bool known = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                     header.e_ident[EI_CLASS] == ELFCLASS64 &&
                     header.e_ident[EI_DATA] == ELFDATA2LSB;
  if (!known) return DataLoss("no 64-bit little-endian ELF file");
  ASSIGN_OR_RETURN(const std::vector<Elf64_Shdr> sections, ReadSections(root, path, header));
  ASSIGN_OR_RETURN(const std::string names, ReadSection(root, path, sections[header.e_shstrndx]));
  ModuleFile file;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= names.size()) continue;
    const std::string_view rest = std::string_view(names).substr(section.sh_name);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (name == ".note.gnu.build-id") {
      ASSIGN_OR_RETURN(const std::string notes, ReadSection(root, path, section));
      ASSIGN_OR_RETURN(file.build_id, DecodeBuildId(notes));
    } else if (name == ".modinfo") {
      ASSIGN_OR_RETURN(const std::string modinfo, ReadSection(root, path, section));
      file.srcversion = FindSrcversion(modinfo);
    }
  }
  return file;
}

}  // namespace

absl::StatusOr<std::string> DecodeBuildId(std::string_view notes) {
  size_t offset = 0;
  while (offset < notes.size()) {
    const absl::StatusOr<Elf64_Nhdr> note = Take<Elf64_Nhdr>(notes, offset);
    if (!note.ok()) return WithContext(note.status(), "ELF notes");
    const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
    const uint64_t text = offset + sizeof(Elf64_Nhdr) + padded(note->n_namesz);
    if (text + note->n_descsz > notes.size()) return DataLoss("ELF notes: cut at {}", offset);
    const std::string_view owner = notes.substr(offset + sizeof(Elf64_Nhdr), note->n_namesz);
    if (note->n_type == kNoteBuildId && owner == std::string_view("GNU\0", 4)) {
      if (note->n_descsz == 0) return DataLoss("ELF notes: an empty build id");
      return Hex(notes.substr(text, note->n_descsz));
    }
    offset = text + padded(note->n_descsz);
  }
  return DataLoss("ELF notes: no build id");
}

std::string FindSrcversion(std::string_view modinfo) {
  constexpr std::string_view kKey = "srcversion=";
  while (!modinfo.empty()) {
    const size_t end = std::min(modinfo.find('\0'), modinfo.size());
    const std::string_view entry = modinfo.substr(0, end);
    if (entry.starts_with(kKey)) return std::string(entry.substr(kKey.size()));
    modinfo.remove_prefix(std::min(end + 1, modinfo.size()));
  }
  return {};
}

absl::StatusOr<std::string> FindModulePath(std::string_view modules_dep, std::string_view name) {
  const auto same = [](char a, char b) { return a == b || (a == '-' && b == '_'); };
  for (const std::string_view line : Lines(modules_dep)) {
    const std::string_view path = line.substr(0, line.find(':'));
    const std::string_view file = path.substr(path.rfind('/') + 1);
    const std::string_view stem = file.substr(0, file.find(".ko"));
    if (stem.size() == file.size() || stem.size() != name.size()) continue;
    if (std::ranges::equal(stem, name, same)) return std::string(path);
  }
  return NotFound("module {}: modules.dep names no file", name);
}

absl::StatusOr<ModuleFile> ReadModuleFile(const HostRoot& root, const std::string& path) {
  if (!path.ends_with(".ko")) {
    return Unimplemented("{}: compressed module files are not opened", path);
  }
  absl::StatusOr<ModuleFile> file = ReadElf(root, path);
  if (!file.ok()) return WithContext(file.status(), path);
  return file;
}

}  // namespace roceready::facts
