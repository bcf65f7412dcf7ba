// SPDX-License-Identifier: Apache-2.0
#include "proto/process/pki.h"

#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "proto/process/endpoint.h"
#include "proto/process/openssl_handles.h"

namespace roceready::pki {
namespace {

using openssl::LastError;

struct Profile {
  std::string common_name;  // for people; nothing decides by it
  std::string basic_constraints;
  std::string key_usage;
  std::string extended_key_usage;  // empty: none
  std::string alternative_names;   // empty: none
};

absl::Status AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  if (value.empty()) return absl::OkStatus();
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const openssl::Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1) {
    return LastError(fmt::format("certificate extension {} = {}", OBJ_nid2sn(nid), value));
  }
  return absl::OkStatus();
}

absl::Status SetRandomSerial(X509* certificate) {
  std::array<unsigned char, 16> octets{};
  if (RAND_bytes(octets.data(), octets.size()) != 1) return LastError("random serial number");
  octets[0] &= 0x7f;  // RFC 5280, 4.1.2.2: positive
  BIGNUM* number = BN_bin2bn(octets.data(), octets.size(), nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
  return absl::OkStatus();
}

void SetTime(ASN1_TIME* field, WallTime time) {
  ASN1_TIME_set(field, std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
}

absl::StatusOr<KeyPair> PemOf(X509* certificate, EVP_PKEY* key) {
  const openssl::Bio certificate_bio(BIO_new(BIO_s_mem()));
  const openssl::Bio key_bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_bio.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return LastError("writing PEM");
  }
  return KeyPair{openssl::BytesOf(certificate_bio.get()), openssl::BytesOf(key_bio.get())};
}

// Makes a key and a certificate for it; `ca` null: signed by itself.
absl::StatusOr<KeyPair> Make(const Profile& profile, const Lifetime& lifetime, X509* ca,
                             EVP_PKEY* ca_key) {
  const openssl::Key key(EVP_EC_gen("P-256"));
  const openssl::Certificate certificate(X509_new());
  if (key == nullptr || certificate == nullptr) return LastError("making a P-256 key");
  X509* const self = certificate.get();
  X509* const issuer = ca == nullptr ? self : ca;

  X509_set_version(self, X509_VERSION_3);
  RETURN_IF_ERROR(SetRandomSerial(self));
  SetTime(X509_getm_notBefore(self), lifetime.not_before);
  SetTime(X509_getm_notAfter(self), lifetime.not_after);
  X509_set_pubkey(self, key.get());
  X509_NAME* subject = X509_get_subject_name(self);
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                 reinterpret_cast<const unsigned char*>(profile.common_name.data()),
                                 static_cast<int>(profile.common_name.size()), -1, 0) != 1) {
    return LastError(fmt::format("certificate name \"{}\"", profile.common_name));
  }
  X509_set_issuer_name(self, X509_get_subject_name(issuer));
  RETURN_IF_ERROR(AddExtension(self, issuer, NID_basic_constraints, profile.basic_constraints));
  RETURN_IF_ERROR(AddExtension(self, issuer, NID_key_usage, profile.key_usage));
  RETURN_IF_ERROR(AddExtension(self, issuer, NID_ext_key_usage, profile.extended_key_usage));
  RETURN_IF_ERROR(AddExtension(self, issuer, NID_subject_alt_name, profile.alternative_names));
  RETURN_IF_ERROR(AddExtension(self, issuer, NID_subject_key_identifier, "hash"));
  if (ca != nullptr) {
    RETURN_IF_ERROR(AddExtension(self, issuer, NID_authority_key_identifier, "keyid"));
  }
  if (X509_sign(self, ca == nullptr ? key.get() : ca_key, EVP_sha256()) == 0) {
    return LastError("signing the certificate");
  }
  return PemOf(self, key.get());
}

absl::StatusOr<KeyPair> Issue(const KeyPair& ca, const Profile& profile, const Lifetime& lifetime) {
  const openssl::Bio certificate_bio = openssl::ReadingBio(ca.certificate_pem);
  const openssl::Certificate certificate(
      PEM_read_bio_X509(certificate_bio.get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return LastError("the CA's certificate");
  const openssl::Bio key_bio = openssl::ReadingBio(ca.key_pem);
  const openssl::Key key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr) return LastError("the CA's key");
  return Make(profile, lifetime, certificate.get(), key.get());
}

// RFC 5280: a common name has at most 64 characters.
std::string CommonName(std::string_view name) { return std::string(name.substr(0, 64)); }

absl::Status WriteNewFile(const std::string& path, const std::string& bytes, mode_t mode) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return ErrnoError(errno, fmt::format("cannot create \"{}\"", path));
  const ssize_t written = write(file, bytes.data(), bytes.size());
  const int error = written < 0 ? errno : 0;
  const bool whole = written == static_cast<ssize_t>(bytes.size()) && fsync(file) == 0;
  close(file);
  if (whole) return absl::OkStatus();
  unlink(path.c_str());
  return ErrnoError(error == 0 ? EIO : error, fmt::format("cannot write \"{}\"", path));
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return ErrnoError(errno, fmt::format("cannot read \"{}\"", path));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Lifetime LifetimeOfDays(WallTime now, int days) {
  return {now - std::chrono::hours(1), now + std::chrono::hours(24) * days};
}

absl::StatusOr<KeyPair> CreateCa(std::string_view name, const Lifetime& lifetime) {
  return Make({.common_name = CommonName(name),
               .basic_constraints = "critical,CA:TRUE,pathlen:0",
               .key_usage = "critical,keyCertSign,cRLSign"},
              lifetime, nullptr, nullptr);
}

absl::StatusOr<KeyPair> IssueForHost(const KeyPair& ca, std::string_view host,
                                     const Lifetime& lifetime) {
  if (!IsHostName(host)) return InvalidArgument("\"{}\" is not a host name", host);
  return Issue(ca,
               {.common_name = CommonName(host),
                .basic_constraints = "critical,CA:FALSE",
                .key_usage = "critical,digitalSignature",
                .extended_key_usage = "clientAuth",
                .alternative_names = fmt::format("DNS:{}", host)},
               lifetime);
}

absl::StatusOr<KeyPair> IssueForController(const KeyPair& ca, const std::vector<std::string>& names,
                                           const Lifetime& lifetime) {
  if (names.empty()) return InvalidArgument("a controller's certificate needs at least one name");
  std::string list;
  for (const std::string& name : names) {
    const bool address = !AddressOctets(name).empty();
    if (!address && !IsHostName(name)) {
      return InvalidArgument("\"{}\" is neither a host name nor an IP address", name);
    }
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", address ? "IP" : "DNS", name);
  }
  return Issue(ca,
               {.common_name = CommonName(names.front()),
                .basic_constraints = "critical,CA:FALSE",
                .key_usage = "critical,digitalSignature",
                .extended_key_usage = "serverAuth",
                .alternative_names = list},
               lifetime);
}

absl::StatusOr<KeyPair> IssueForClient(const KeyPair& ca, std::string_view user, Role role,
                                       const Lifetime& lifetime) {
  if (user.empty()) return InvalidArgument("a client's certificate needs a user name");
  return Issue(ca,
               {.common_name = CommonName(user),
                .basic_constraints = "critical,CA:FALSE",
                .key_usage = "critical,digitalSignature",
                .extended_key_usage = "clientAuth",
                .alternative_names = "URI:" + RoleUri(role)},
               lifetime);
}

absl::Status WriteKeyPair(const KeyPair& pair, const std::string& directory,
                          std::string_view name) {
  const std::string base = fmt::format("{}/{}", directory, name);
  RETURN_IF_ERROR(WriteNewFile(base + ".key", pair.key_pem, 0600));
  return WriteNewFile(base + ".crt", pair.certificate_pem, 0644);
}

absl::StatusOr<KeyPair> ReadKeyPair(const std::string& directory, std::string_view name) {
  const std::string base = fmt::format("{}/{}", directory, name);
  KeyPair pair;
  ASSIGN_OR_RETURN(pair.certificate_pem, ReadWholeFile(base + ".crt"));
  ASSIGN_OR_RETURN(pair.key_pem, ReadWholeFile(base + ".key"));
  return pair;
}

}  // namespace roceready::pki
