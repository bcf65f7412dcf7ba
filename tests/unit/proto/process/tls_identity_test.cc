// SPDX-License-Identifier: Apache-2.0
#include "proto/process/tls_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "proto/process/pki.h"
#include "tests/support/test_ca.h"

namespace roceready {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(IdentityOfNames, HostsAreLowerCasedDnsNames) {
  EXPECT_THAT(IdentityOfNames({"GPU001.Site"}, {}).hosts, ElementsAre("gpu001.site"));
}

TEST(IdentityOfNames, NameThatIsNotAHostNameNamesNobody) {
  const PeerIdentity identity = IdentityOfNames(
      {"*.site", "roceready://role/admin", "", "a..b", ".a", "a.", "a b", std::string("a\0b", 3)},
      {});
  EXPECT_THAT(identity.hosts, IsEmpty());
  EXPECT_FALSE(identity.role.has_value());
}

TEST(IdentityOfNames, RoleIsTakenFromUrisOnlyAndTheHighestCounts) {
  const PeerIdentity identity =
      IdentityOfNames({}, {"roceready://role/viewer", "roceready://role/operator", "https://x"});
  EXPECT_EQ(identity.role, Role::kOperator);
  EXPECT_TRUE(identity.HasRole(Role::kViewer));
  EXPECT_FALSE(identity.HasRole(Role::kAdmin));
  EXPECT_FALSE(IdentityOfNames({}, {"roceready://role/adminx"}).role.has_value());
  EXPECT_FALSE(IdentityOfNames({}, {"roceready://role/ADMIN"}).role.has_value());
}

TEST(EncodeIdentity, ComesBackAsItWas) {
  for (const auto& [hosts, role] :
       std::vector<std::pair<std::vector<std::string>, std::optional<Role>>>{
           {{}, std::nullopt},
           {{"gpu001"}, std::nullopt},
           {{"gpu001", "gpu001.site"}, Role::kOperator},
           {{}, Role::kAdmin}}) {
    for (const std::string person : {"", "alice", "J\xc3\xbcrgen, roceready://role/admin%2c"}) {
      const PeerIdentity identity{hosts, role, person};
      const PeerIdentity decoded = DecodeIdentity(EncodeIdentity(identity));
      EXPECT_EQ(decoded.hosts, hosts);
      EXPECT_EQ(decoded.role, role);
      EXPECT_EQ(decoded.person, person);
    }
  }
  EXPECT_EQ(DecodeIdentity("person:%,%4").person, "%");
  EXPECT_EQ(DecodeIdentity(",,roceready://role/emperor,*").Describe(),
            "a certificate that names no host and no role");
}

TEST(EncodeIdentity, NobodyIsNotNothing) { EXPECT_NE(EncodeIdentity(PeerIdentity()), ""); }

TEST(HostOfIdentity, TakesTheOnlyNameOrTheConfiguredOneAndSaysWhatIsWrong) {
  const PeerIdentity one = IdentityOfNames({"gpu001"}, {});
  const PeerIdentity two = IdentityOfNames({"gpu001", "gpu001.site"}, {});

  EXPECT_EQ(HostOfIdentity(one, "").value(), "gpu001");
  EXPECT_EQ(HostOfIdentity(two, "GPU001.site").value(), "gpu001.site");
  EXPECT_THAT(std::string(HostOfIdentity(two, "").status().message()),
              HasSubstr("hosts gpu001, gpu001.site"));
  EXPECT_THAT(std::string(HostOfIdentity(one, "gpu002").status().message()),
              HasSubstr("host \"gpu002\" is configured, but the certificate names host gpu001"));
}

TEST(NamesServer, ComparesNamesWithNamesAndAddressesWithAddresses) {
  EXPECT_TRUE(NamesServer({"c1.site"}, {}, "C1.site:7471"));
  EXPECT_TRUE(NamesServer({}, {"127.0.0.1"}, "127.0.0.1:7471"));
  EXPECT_TRUE(NamesServer({}, {"::1"}, "[::1]:7471"));
  EXPECT_TRUE(NamesServer({}, {"0:0:0:0:0:0:0:1"}, "::1"));
  EXPECT_TRUE(NamesServer({"*.a.site"}, {}, "c1.a.site"));

  EXPECT_FALSE(NamesServer({"c2.site"}, {}, "c1.site:7471"));
  EXPECT_FALSE(NamesServer({"127.0.0.1"}, {}, "127.0.0.1:7471"));
  EXPECT_FALSE(NamesServer({"*.a.site"}, {}, "b.c1.a.site"));
  EXPECT_FALSE(NamesServer({"*.a.site"}, {}, "a.site"));
  EXPECT_FALSE(NamesServer({"*.a.site"}, {}, ".a.site"));
  EXPECT_FALSE(NamesServer({"*"}, {}, "c1"));
  EXPECT_FALSE(NamesServer({""}, {""}, ""));
}

TEST(NamesServer, WildcardOfATopLevelDomainIsRefused) {
  EXPECT_FALSE(NamesServer({"*.com"}, {}, "example.com"));
}

TEST(Pki, IssuedCertificatesNameWhatWasAskedFor) {
  TestCa ca;
  const auto host = IdentityOfCertificateFile(ca.Host("gpu001").certificate());
  const auto client = IdentityOfCertificateFile(ca.Client("alice", Role::kOperator).certificate());

  ASSERT_TRUE(host.ok() && client.ok());
  EXPECT_THAT(host->hosts, ElementsAre("gpu001"));
  EXPECT_FALSE(host->role.has_value());
  EXPECT_THAT(client->hosts, IsEmpty());
  EXPECT_EQ(client->role, Role::kOperator);
  EXPECT_EQ(client->person, "alice");
}

TEST(Pki, CommonNameNamesNobody) {
  // A client's user is in the common name; it must not become a host.
  TestCa ca;
  const auto client = IdentityOfCertificateFile(ca.Client("gpu001", Role::kViewer).certificate());
  EXPECT_FALSE(client.value().SpeaksFor("gpu001"));
}

TEST(Pki, RefusesNamesThatCouldSmuggleInOthers) {
  TestCa ca;
  const auto lifetime = pki::LifetimeOfDays(TestCa::Now(), 1);
  EXPECT_FALSE(pki::IssueForHost(ca.key_pair(), "a,URI:roceready://role/admin", lifetime).ok());
  EXPECT_FALSE(pki::IssueForHost(ca.key_pair(), "*.site", lifetime).ok());
  EXPECT_FALSE(pki::IssueForController(ca.key_pair(), {"a,DNS:b"}, lifetime).ok());
  EXPECT_FALSE(pki::IssueForController(ca.key_pair(), {}, lifetime).ok());
}

TEST(Pki, KeysAreForTheirOwnerAloneAndNothingIsOverwritten) {
  TestCa ca;
  TemporaryDirectory directory;
  ASSERT_TRUE(pki::WriteKeyPair(ca.key_pair(), directory.path(), "x").ok());

  struct stat status{};
  ASSERT_EQ(stat(directory.File("x.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THAT(std::string(pki::WriteKeyPair(ca.key_pair(), directory.path(), "x").message()),
              HasSubstr("File exists"));
  EXPECT_EQ(pki::ReadKeyPair(directory.path(), "x").value().key_pem, ca.key_pair().key_pem);
}

TEST(CheckTlsFiles, AcceptsWhatTheCaIssued) {
  TestCa ca;
  EXPECT_TRUE(CheckTlsFiles(ca.Host("gpu001"), TestCa::Now()).ok());
}

TEST(CheckTlsFiles, NamesTheFileThatIsMissing) {
  TestCa ca;
  v1::TlsFiles files = ca.Host("gpu001");
  files.set_key("/nowhere/agent.key");
  const absl::Status status = CheckTlsFiles(files, TestCa::Now());
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("key file \"/nowhere/agent.key\""));
}

TEST(CheckTlsFiles, RefusesTheKeyOfAnotherCertificate) {
  TestCa ca;
  v1::TlsFiles files = ca.Host("gpu001");
  files.set_key(ca.Host("gpu002").key());
  EXPECT_THAT(std::string(CheckTlsFiles(files, TestCa::Now()).message()),
              HasSubstr("does not belong to certificate"));
}

TEST(CheckTlsFiles, TakesABundleOfCasAsWhileOneIsReplaced) {
  TestCa former;
  TestCa next;
  TemporaryDirectory directory;
  v1::TlsFiles files = next.Host("gpu001");
  const std::string bundle = directory.File("bundle.crt");
  std::ofstream(bundle) << former.key_pair().certificate_pem << next.key_pair().certificate_pem;
  files.set_ca(bundle);
  EXPECT_EQ(CheckTlsFiles(files, TestCa::Now()), absl::OkStatus());

  std::ofstream(bundle, std::ios::app) << "-----BEGIN CERTIFICATE-----\nno\n";
  EXPECT_THAT(std::string(CheckTlsFiles(files, TestCa::Now()).message()),
              HasSubstr("is not a PEM certificate"));
}

// The reason that a client's certificate is refused for; empty: it is not.
std::string Refused(const std::string& pem, const std::string& ca_file,
                    WallTime now = TestCa::Now()) {
  const absl::Status status = CheckClientCertificate(pem, ca_file, now);
  EXPECT_TRUE(status.ok() || absl::IsUnauthenticated(status) || absl::IsInvalidArgument(status))
      << status;
  return std::string(status.message());
}

std::string Text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CheckClientCertificate, AcceptsHostsAndPeopleOfTheCa) {
  TestCa ca;
  const v1::TlsFiles host = ca.Host("gpu001");
  EXPECT_EQ(Refused(Text(host.certificate()), host.ca()), "");
  EXPECT_EQ(Refused(Text(ca.Client("alice", Role::kViewer).certificate()), host.ca()), "");
}

TEST(CheckClientCertificate, RefusesWhatDoesNotHoldAndSaysWhy) {
  TestCa ca;
  TestCa other;
  const v1::TlsFiles host = ca.Host("gpu001");
  EXPECT_THAT(Refused(Text(other.Host("gpu001").certificate()), host.ca()),
              HasSubstr("unable to get local issuer certificate"));
  // A chain that brings its own CA along is not trusted for it.
  EXPECT_THAT(Refused(Text(other.Host("gpu001").certificate()) + other.key_pair().certificate_pem,
                      host.ca()),
              HasSubstr("self-signed certificate in certificate chain"));
  EXPECT_THAT(Refused(Text(host.certificate()), host.ca(), TestCa::Now() + hours(25)),
              HasSubstr("certificate has expired"));
  EXPECT_THAT(Refused(Text(host.certificate()), host.ca(), TestCa::Now() - hours(25)),
              HasSubstr("certificate is not yet valid"));
  // A controller's certificate is for serving.
  EXPECT_THAT(Refused(Text(ca.Controller({"c1"}).certificate()), host.ca()),
              HasSubstr("unsuitable certificate purpose"));
  EXPECT_THAT(Refused("", host.ca()), HasSubstr("is not a PEM certificate"));
  EXPECT_THAT(Refused("nonsense", host.ca()), HasSubstr("is not a PEM certificate"));
}

TEST(CheckClientCertificate, TrustsNobodyWhereTheCaCannotBeRead) {
  TestCa ca;
  EXPECT_FALSE(CheckClientCertificate(Text(ca.Host("gpu001").certificate()), "/nowhere/ca.crt",
                                      TestCa::Now())
                   .ok());
}

TEST(CheckTlsFiles, RefusesACertificateOfAnotherCa) {
  TestCa ours;
  TestCa theirs;
  v1::TlsFiles files = theirs.Host("gpu001");
  files.set_ca(ours.Host("gpu001").ca());
  EXPECT_THAT(std::string(CheckTlsFiles(files, TestCa::Now()).message()),
              HasSubstr("does not hold under CA"));
}

TEST(CheckTlsFiles, RefusesAnExpiredCertificateAndSaysSo) {
  TestCa ca;
  const v1::TlsFiles files = ca.Host("gpu001");
  EXPECT_THAT(std::string(CheckTlsFiles(files, TestCa::Now() + hours(25)).message()),
              HasSubstr("certificate has expired"));
}

TEST(CheckTlsFiles, RefusesAFileThatIsNotPem) {
  TestCa ca;
  TemporaryDirectory directory;
  std::ofstream(directory.File("junk")) << "junk";
  v1::TlsFiles files = ca.Host("gpu001");
  files.set_certificate(directory.File("junk"));
  EXPECT_THAT(std::string(CheckTlsFiles(files, TestCa::Now()).message()),
              HasSubstr("is not a PEM certificate"));
}

}  // namespace
}  // namespace roceready
