// SPDX-License-Identifier: Apache-2.0
#include "tests/accuracy/host_copy.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace roceready::accuracy {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Octets = std::array<unsigned char, 16>;

constexpr Octets kMappedIpv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
// "0000:0000:0000:0000:0000:ffff:0a01:0007", as the kernel writes GIDs.
constexpr size_t kFullTextSize = 39;

// Any IP address or GID; IPv4 as it is mapped into IPv6 (RFC 4291, 2.5.5.2).
std::optional<Octets> ParseAddress(const std::string& text) {
  Octets octets = kMappedIpv4;
  if (inet_pton(AF_INET, text.c_str(), octets.data() + 12) == 1) return octets;
  if (inet_pton(AF_INET6, text.c_str(), octets.data()) == 1) return octets;
  return std::nullopt;
}

bool IsIpv4(const Octets& octets) {
  return std::equal(kMappedIpv4.begin(), kMappedIpv4.begin() + 12, octets.begin());
}

std::string PrintLike(const Octets& octets, const std::string& model) {
  if (model.size() == kFullTextSize) {
    std::string text;
    for (size_t i = 0; i < octets.size(); i += 2) {
      text += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", octets[i], octets[i + 1]);
    }
    return text;
  }
  const bool ipv4 = IsIpv4(octets) && model.find(':') == std::string::npos;
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(ipv4 ? AF_INET : AF_INET6, octets.data() + (ipv4 ? 12 : 0), text, sizeof(text));
  return text;
}

std::optional<std::array<unsigned, 6>> ParseMac(const std::string& text) {
  std::array<unsigned, 6> mac{};
  if (text.size() != 17 || std::sscanf(text.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x", &mac[0], &mac[1],
                                       &mac[2], &mac[3], &mac[4], &mac[5]) != 6) {
    return std::nullopt;
  }
  return mac;
}

// The interface identifier that is made of a MAC (RFC 4291, appendix A).
std::array<unsigned char, 8> InterfaceId(const std::array<unsigned, 6>& mac) {
  const auto octet = [&](int i) { return static_cast<unsigned char>(mac[i]); };
  return {static_cast<unsigned char>(octet(0) ^ 2),
          octet(1),
          octet(2),
          0xff,
          0xfe,
          octet(3),
          octet(4),
          octet(5)};
}

// The last four characters count on where they are a hexadecimal number.
std::string Renumbered(std::string text, unsigned number) {
  const size_t size = text.size();
  if (size < 4 || text.find_first_not_of("0123456789abcdefABCDEF", size - 4) != std::string::npos) {
    return fmt::format("{}-{}", text, number);
  }
  const auto last = static_cast<unsigned>(std::stoul(text.substr(size - 4), nullptr, 16));
  return text.replace(size - 4, 4, fmt::format("{:04x}", (last + number * 0x100) & 0xffff));
}

class Copier {
 public:
  Copier(const v1::HostFacts& facts, unsigned number) : number_(number) {
    Collect(facts);
    for (const v1::NetDevice& device : facts.net_devices()) {
      for (const v1::IpAddress& address : device.addresses().addresses()) {
        if (const auto octets = ParseAddress(address.address())) own_addresses_.insert(*octets);
      }
      const auto mac = ParseMac(device.link().mac());
      if (!mac) continue;
      auto renumbered = *mac;
      renumbered[3] = (renumbered[3] + number) & 0xff;
      replaced_[device.link().mac()] =
          fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", renumbered[0], renumbered[1],
                      renumbered[2], renumbered[3], renumbered[4], renumbered[5]);
      interface_ids_[InterfaceId(*mac)] = InterfaceId(renumbered);
    }
  }

  void Rewrite(Message& message) const {
    const auto& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
      for (int i = 0; i < count; ++i) RewriteOne(message, *field, i);
    }
  }

 private:
  // Identities that tell nothing but who it is.
  void Collect(const Message& message) {
    static const std::set<std::string> kNames = {"serial_number", "node_guid", "sys_image_guid",
                                                 "machine_id", "boot_id"};
    const auto& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->message_type() != nullptr) {
        const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
        for (int i = 0; i < count; ++i) {
          Collect(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                       : reflection.GetMessage(message, field));
        }
      } else if (kNames.contains(field->name())) {
        const std::string text = reflection.GetString(message, field);
        replaced_[text] = Renumbered(text, number_);
      }
    }
  }

  void RewriteOne(Message& message, const FieldDescriptor& field, int i) const {
    const auto& reflection = *message.GetReflection();
    if (field.message_type() != nullptr) {
      return Rewrite(field.is_repeated() ? *reflection.MutableRepeatedMessage(&message, &field, i)
                                         : *reflection.MutableMessage(&message, &field));
    }
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_STRING) return;
    if (field.is_repeated()) {
      reflection.SetRepeatedString(&message, &field, i,
                                   Rewritten(reflection.GetRepeatedString(message, &field, i)));
    } else {
      reflection.SetString(&message, &field, Rewritten(reflection.GetString(message, &field)));
    }
  }

  std::string Rewritten(std::string text) const {
    if (auto octets = ParseAddress(text)) {
      std::array<unsigned char, 8> id{};
      std::copy(octets->begin() + 8, octets->end(), id.begin());
      if (const auto made_of_mac = interface_ids_.find(id); made_of_mac != interface_ids_.end()) {
        std::ranges::copy(made_of_mac->second, octets->begin() + 8);
      } else if (own_addresses_.contains(*octets)) {
        octets->back() = static_cast<unsigned char>(octets->back() + number_);
      } else {
        return text;
      }
      return PrintLike(*octets, text);
    }
    // Also as a part: "serial:MT2342X00000", "rdma:netdev:mac:52:54:00:00:00:01/1".
    for (const auto& [from, to] : replaced_) {
      const size_t at = text.find(from);
      if (at != std::string::npos) return text.replace(at, from.size(), to);
    }
    return text;
  }

  const unsigned number_;
  std::map<std::string, std::string> replaced_;
  std::map<std::array<unsigned char, 8>, std::array<unsigned char, 8>> interface_ids_;
  std::set<Octets> own_addresses_;
};

}  // namespace

v1::FactsFile CopyOfHost(const v1::FactsFile& original, const std::string& name, unsigned number) {
  v1::FactsFile copy = original;
  if (number > 0) {
    const Copier copier(original.facts(), number);
    copier.Rewrite(*copy.mutable_facts());
    copier.Rewrite(*copy.mutable_counters());
  }
  copy.mutable_facts()->mutable_identity()->set_host(name);
  return copy;
}

}  // namespace roceready::accuracy
