// SPDX-License-Identifier: Apache-2.0
#include "proto/process/tls_identity.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>

#include "proto/process/certificate_chain.h"
#include "proto/process/endpoint.h"
#include "proto/process/openssl_handles.h"

namespace roceready {
namespace {

constexpr std::string_view kRolePrefix = "roceready://role/";
constexpr std::string_view kPersonPrefix = "person:";
// RFC 1035, 2.3.4.
constexpr size_t kLongestName = 253;
constexpr size_t kLongestLabel = 63;

std::string LowerCased(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

absl::StatusOr<std::string> ReadFile(const std::string& path, std::string_view kind) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return ErrnoError(
        errno, fmt::format("{} file \"{}\" (set under tls: in the configuration)", kind, path));
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

absl::StatusOr<Certificates> ReadCertificates(const std::string& path, std::string_view kind) {
  ASSIGN_OR_RETURN(const std::string pem, ReadFile(path, kind));
  return CertificatesOfPem(pem, fmt::format("{} file \"{}\"", kind, path));
}

// As UTF-8, whatever kind of string it is: names go into messages, which take nothing else. Empty
// where it is none.
std::string TextOf(const ASN1_STRING* string) {
  unsigned char* bytes = nullptr;
  const int length = ASN1_STRING_to_UTF8(&bytes, string);
  if (length < 0) return "";
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length));
  OPENSSL_free(bytes);
  return text;
}

// Of what EncodeIdentity has escaped; anything else stays as it is.
std::string Unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    unsigned octet = 0;
    const bool escape =
        text.size() >= 3 && text[0] == '%' &&
        std::from_chars(text.data() + 1, text.data() + 3, octet, 16).ptr == text.data() + 3;
    plain += escape ? static_cast<char>(octet) : text[0];
    text.remove_prefix(escape ? 3 : 1);
  }
  return plain;
}

std::string CommonNameOf(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return "";
  return TextOf(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

bool DnsNameMatches(std::string_view pattern, std::string_view host) {
  const std::string name = LowerCased(pattern);
  if (!name.starts_with("*.")) return name == host;
  const std::string_view suffix = std::string_view(name).substr(1);
  const size_t dot = host.find('.');
  return dot != std::string_view::npos && dot > 0 && IsHostName(suffix.substr(1)) &&
         suffix.find('.', 1) != std::string_view::npos && host.substr(dot) == suffix;
}

}  // namespace

absl::Status CheckClientCertificate(std::string_view pem, const std::string& ca_file,
                                    WallTime now) {
  ASSIGN_OR_RETURN(const Certificates cas, ReadCertificates(ca_file, "CA"));
  ASSIGN_OR_RETURN(const Certificates chain, CertificatesOfPem(pem, "what the client shows"));
  return VerifyChain(chain, cas, now, ShownAs::kClient);
}

std::string_view RoleWord(Role role) {
  switch (role) {
    case Role::kViewer:
      return "viewer";
    case Role::kOperator:
      return "operator";
    case Role::kAdmin:
      return "admin";
  }
  return "unknown";
}

std::optional<Role> RoleOfWord(std::string_view word) {
  for (const Role role : {Role::kViewer, Role::kOperator, Role::kAdmin}) {
    if (word == RoleWord(role)) return role;
  }
  return std::nullopt;
}

std::string RoleUri(Role role) { return fmt::format("{}{}", kRolePrefix, RoleWord(role)); }

bool IsHostName(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  size_t label = 0;
  for (const char c : name) {
    if (c == '.') {
      if (label == 0) return false;
      label = 0;
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      if (++label > kLongestLabel) return false;
    } else {
      return false;
    }
  }
  return label > 0;
}

PeerIdentity IdentityOfNames(const std::vector<std::string>& dns_names,
                             const std::vector<std::string>& uris) {
  PeerIdentity identity;
  for (const std::string& name : dns_names) {
    if (IsHostName(name)) identity.hosts.push_back(LowerCased(name));
  }
  for (const std::string& uri : uris) {
    if (!uri.starts_with(kRolePrefix)) continue;
    const auto role = RoleOfWord(std::string_view(uri).substr(kRolePrefix.size()));
    if (role && (!identity.role || *role > *identity.role)) identity.role = role;
  }
  return identity;
}

bool PeerIdentity::SpeaksFor(std::string_view host) const {
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

std::string PeerIdentity::Describe() const {
  if (role) return fmt::format("role {}", RoleWord(*role));
  if (hosts.empty()) return "a certificate that names no host and no role";
  std::string text = hosts.size() == 1 ? "host " : "hosts ";
  for (const std::string& host : hosts) {
    if (&host != &hosts.front()) text += ", ";
    text += host;
  }
  return text;
}

PeerIdentity IdentityOfCertificate(const X509* certificate) {
  if (certificate == nullptr) return {};
  const openssl::Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> dns_names;
  std::vector<std::string> uris;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) dns_names.push_back(TextOf(name->d.dNSName));
    if (name->type == GEN_URI) uris.push_back(TextOf(name->d.uniformResourceIdentifier));
  }
  PeerIdentity identity = IdentityOfNames(dns_names, uris);
  identity.person = CommonNameOf(certificate);
  return identity;
}

absl::StatusOr<PeerIdentity> IdentityOfCertificateFile(const std::string& path) {
  ASSIGN_OR_RETURN(const Certificates chain, ReadCertificates(path, "certificate"));
  return IdentityOfCertificate(chain.front().get());
}

std::string EncodeIdentity(const PeerIdentity& identity) {
  std::string text(kPersonPrefix);
  for (const char c : identity.person) {
    const auto octet = static_cast<unsigned char>(c);
    if (std::isalnum(octet) != 0 && octet < 0x80) {
      text += c;
    } else {
      text += fmt::format("%{:02x}", octet);
    }
  }
  if (identity.role) text += "," + RoleUri(*identity.role);
  for (const std::string& host : identity.hosts) text += "," + host;
  return text;
}

PeerIdentity DecodeIdentity(std::string_view text) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    names.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  // A role URI is no host name, a host name no URI, and a person neither.
  PeerIdentity identity = IdentityOfNames(names, names);
  for (const std::string& name : names) {
    if (name.starts_with(kPersonPrefix)) {
      identity.person = Unescaped(std::string_view(name).substr(kPersonPrefix.size()));
    }
  }
  return identity;
}

absl::StatusOr<std::string> HostOfIdentity(const PeerIdentity& identity, std::string_view wanted) {
  if (!wanted.empty()) {
    std::string host = LowerCased(wanted);
    if (identity.SpeaksFor(host)) return host;
    return FailedPrecondition(
        "host \"{}\" is configured, but the certificate names {}; correct `host:` or issue a "
        "certificate with that DNS name",
        host, identity.Describe());
  }
  if (identity.hosts.size() == 1) return identity.hosts.front();
  return FailedPrecondition(
      "the certificate names {}; set `host:` to one of its DNS names, or issue one with a single "
      "DNS name",
      identity.Describe());
}

absl::Status CheckTlsFiles(const v1::TlsFiles& files, WallTime now) {
  ASSIGN_OR_RETURN(const Certificates cas, ReadCertificates(files.ca(), "CA"));
  ASSIGN_OR_RETURN(const Certificates chain, ReadCertificates(files.certificate(), "certificate"));
  ASSIGN_OR_RETURN(const std::string key_pem, ReadFile(files.key(), "key"));
  const openssl::Bio bio = openssl::ReadingBio(key_pem);
  const openssl::Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr) {
    return openssl::LastError(fmt::format("key file \"{}\" is not a PEM key", files.key()));
  }
  if (X509_check_private_key(chain.front().get(), key.get()) != 1) {
    ERR_clear_error();
    return FailedPrecondition("key \"{}\" does not belong to certificate \"{}\"", files.key(),
                              files.certificate());
  }
  absl::Status held = VerifyChain(chain, cas, now, ShownAs::kAny);
  if (held.ok()) return held;
  return MakeError(held.code(),
                   fmt::format("certificate \"{}\" does not hold under CA \"{}\": {}; issue a new "
                               "certificate, name the CA that issued this one, or correct this "
                               "machine's clock",
                               files.certificate(), files.ca(), Message(held)));
}

bool NamesServer(const std::vector<std::string>& dns_names,
                 const std::vector<std::string>& ip_names, std::string_view target) {
  const std::string host = LowerCased(HostOfEndpoint(target));
  const std::string octets = AddressOctets(host);
  if (!octets.empty()) {
    return std::any_of(ip_names.begin(), ip_names.end(),
                       [&](const std::string& name) { return AddressOctets(name) == octets; });
  }
  return IsHostName(host) &&
         std::any_of(dns_names.begin(), dns_names.end(),
                     [&](const std::string& name) { return DnsNameMatches(name, host); });
}

}  // namespace roceready
