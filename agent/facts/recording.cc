// SPDX-License-Identifier: Apache-2.0
// Writing a recording (recorded.h): everything passes through and is written down.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "agent/facts/recorded.h"
#include "agent/facts/verbs_text.h"
#include "agent/netlink/recorded_transport.h"

namespace roceready::facts {
namespace {

namespace fs = std::filesystem;

// The folder that is written to; readings on several threads share it.
class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  void Append(std::string_view file, const std::string& text) {
    const std::lock_guard lock(mutex_);
    std::ofstream(path_ + std::string(file), std::ios::app) << text;
  }

  // Makes the folders and links on the way to a path of the host, and returns where it really is.
  fs::path Mirror(const fs::path& path) {
    fs::path real = "/";
    for (const fs::path& part : path.relative_path()) {
      std::error_code error;
      const fs::path next = real / part;
      if (!fs::is_symlink(next, error)) {
        real = next;
        continue;
      }
      const fs::path target = fs::canonical(next, error);
      if (error) return {};
      const fs::path link = path_ + next.string();
      fs::create_directories(link.parent_path(), error);
      fs::create_symlink(fs::relative(path_ + target.string(), link.parent_path(), error), link,
                         error);
      // The target's own path may lead over links that are canonical already.
      real = target;
    }
    return real;
  }

  // A folder, or the place of a file whose text is not known (yet).
  void AddPlace(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const fs::path real = Mirror(path);
    std::error_code error;
    if (fs::is_directory(real, error)) {
      fs::create_directories(path_ + real.string(), error);
    } else {
      fs::create_directories(path_ + real.parent_path().string(), error);
      const std::ofstream made(path_ + real.string(), std::ios::app);
      // A node's mode is a fact.
      const fs::perms mode = fs::status(real, error).permissions();
      if (!error) fs::permissions(path_ + real.string(), mode | fs::perms::owner_read, error);
    }
  }
  void AddFile(const std::string& path, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const fs::path real = path_ + Mirror(path).string();
    std::error_code error;
    fs::create_directories(real.parent_path(), error);
    std::ofstream(real) << text;
  }
  // At this very path, even if it leads over a link (/proc/mounts and /proc/net, into a process).
  void AddPlainFile(const std::string& path, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const fs::path file = path_ + path;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    std::ofstream(file) << text;
  }
  // The rest of the file stays a hole.
  void AddPart(const std::string& path, uint64_t offset, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    const fs::path real = path_ + Mirror(path).string();
    std::error_code error;
    fs::create_directories(real.parent_path(), error);
    {
      const std::ofstream made(real, std::ios::app);
    }  // A stream for reading too makes no file.
    std::fstream stream(real, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream << bytes;
  }

 private:
  const std::string path_;
  std::mutex mutex_;
};

class RecordingEthtool : public netlink::EthtoolControl {
 public:
  RecordingEthtool(std::unique_ptr<netlink::EthtoolControl> inner, std::shared_ptr<Folder> folder)
      : inner_(std::move(inner)), folder_(std::move(folder)) {}
  absl::Status Call(const std::string& netdev, std::span<uint8_t> command) override {
    std::string text =
        fmt::format("ask {} {}\n", netdev, netlink::HexOfBytes(WithoutTrailingZeros(command)));
    const absl::Status status = inner_->Call(netdev, command);
    if (status.ok()) {
      text += fmt::format("answer {}\n", netlink::HexOfBytes(WithoutTrailingZeros(command)));
    } else if (const std::optional<int> error = ErrnoOf(status)) {
      text += fmt::format("error {}\n", *error);
    }
    folder_->Append("/ethtool.txt", text);
    return status;
  }

 private:
  const std::unique_ptr<netlink::EthtoolControl> inner_;
  const std::shared_ptr<Folder> folder_;
};

class RecordingNetlink : public netlink::Transport {
 public:
  RecordingNetlink(std::unique_ptr<netlink::Transport> inner, std::shared_ptr<Folder> folder,
                   std::string file)
      : inner_(std::move(inner)), folder_(std::move(folder)), file_(std::move(file)) {}
  absl::StatusOr<std::vector<netlink::Message>> Exchange(const netlink::Request& request) override {
    std::ostringstream text;
    auto answer = netlink::RecordingTransport(*inner_, text).Exchange(request);
    folder_->Append(file_, text.str());
    return answer;
  }

 private:
  const std::unique_ptr<netlink::Transport> inner_;
  const std::shared_ptr<Folder> folder_;
  const std::string file_;
};

class RecordingVerbs : public Verbs {
 public:
  RecordingVerbs(std::unique_ptr<Verbs> inner, std::shared_ptr<Folder> folder)
      : inner_(std::move(inner)), folder_(std::move(folder)) {}
  absl::StatusOr<VerbsDevice> ReadDevice(const std::string& rdma_device,
                                         size_t gid_slots) override {
    absl::StatusOr<VerbsDevice> answer = inner_->ReadDevice(rdma_device, gid_slots);
    folder_->Append("/verbs.txt", DeviceText(rdma_device, answer));
    return answer;
  }
  absl::StatusOr<std::vector<VerbsPort>> ReadPorts(const std::string& rdma_device) override {
    absl::StatusOr<std::vector<VerbsPort>> answer = inner_->ReadPorts(rdma_device);
    folder_->Append("/verbs.txt", PortsText(rdma_device, answer));
    return answer;
  }
  absl::StatusOr<VerbsCongestionPoints> ReadCongestionPoints(
      const std::string& rdma_device) override {
    absl::StatusOr<VerbsCongestionPoints> answer = inner_->ReadCongestionPoints(rdma_device);
    folder_->Append("/verbs.txt", PointsText(rdma_device, answer));
    return answer;
  }

 private:
  const std::unique_ptr<Verbs> inner_;
  const std::shared_ptr<Folder> folder_;
};

// Not written down: processes (whoever reads the recording needs none of their names), the machine
// id (a secret), the list of all libraries, and the thousand empty slots of a GID table.
bool BelongsIntoARecording(std::string_view path, std::string_view text) {
  if (path == "/etc/machine-id" || path == "/proc" || path == "/usr/lib") return false;
  if (path.starts_with("/proc/") && path[6] >= '0' && path[6] <= '9') return false;
  const bool is_gid = path.find("/gids/") != std::string_view::npos;
  return !is_gid || text.find_first_not_of("0:\n") != std::string_view::npos;
}

// Of these files only what we look at: the rest tells about the site and changes all the time.
std::optional<std::string> Excerpt(std::string_view path, std::string_view text) {
  const std::string_view wanted = path == "/proc/mounts"     ? "proto=rdma"
                                  : path == "/proc/stat"     ? "btime "
                                  : path == "/proc/net/unix" ? "lldp"
                                                             : "";
  if (wanted.empty()) return std::nullopt;
  std::string excerpt;
  for (const std::string_view line : Lines(text)) {
    if (line.find(wanted) != std::string_view::npos) excerpt.append(line).append("\n");
  }
  return excerpt;
}

class FolderObserver : public HostRoot::Observer {
 public:
  explicit FolderObserver(std::shared_ptr<Folder> folder) : folder_(std::move(folder)) {}
  void Read(std::string_view path, const std::string& text) override {
    if (const auto excerpt = Excerpt(path, text)) {
      folder_->AddPlainFile(std::string(path), *excerpt);
    } else if (BelongsIntoARecording(path, text)) {
      folder_->AddFile(std::string(path), text);
    }
  }
  void ReadPart(std::string_view path, uint64_t offset, const std::string& bytes) override {
    folder_->AddPart(std::string(path), offset, bytes);
  }
  void Listed(std::string_view path, const std::vector<std::string>& names) override {
    if (!BelongsIntoARecording(path, "x")) return;
    folder_->AddPlace(std::string(path));
    // Devices are folders, and some (a bridge's PCI function) are not looked into any further.
    for (const std::string& name : names) {
      const std::string entry = std::string(path) + "/" + name;
      std::error_code error;
      if (fs::is_directory(entry, error)) folder_->AddPlace(entry);
    }
  }
  void Failed(std::string_view path, int error) override {
    folder_->Append("/errors.txt", fmt::format("{} {}\n", error, path));
  }
  void Found(std::string_view path) override { folder_->AddPlace(std::string(path)); }

 private:
  const std::shared_ptr<Folder> folder_;
};

class RecordingHost : public Sources {
 public:
  RecordingHost(std::shared_ptr<const Sources> inner, const std::string& folder)
      : inner_(std::move(inner)),
        folder_(std::make_shared<Folder>(folder)),
        root_("/", std::make_shared<FolderObserver>(folder_)) {}
  const HostRoot& root() const override { return root_; }

  absl::StatusOr<std::unique_ptr<netlink::Transport>> OpenNetlink(
      netlink::Protocol protocol) const override {
    const std::string file(RecordingFileOf(protocol));
    absl::StatusOr<std::unique_ptr<netlink::Transport>> inner = inner_->OpenNetlink(protocol);
    if (!inner.ok()) {
      folder_->Append(file, fmt::format("closed {}\n", ErrnoOf(inner.status()).value_or(EIO)));
      return inner.status();
    }
    return std::make_unique<RecordingNetlink>(*std::move(inner), folder_, file);
  }
  absl::StatusOr<std::unique_ptr<netlink::EthtoolControl>> OpenEthtool() const override {
    ASSIGN_OR_RETURN(auto inner, inner_->OpenEthtool());
    return std::make_unique<RecordingEthtool>(std::move(inner), folder_);
  }
  std::unique_ptr<Verbs> OpenVerbs() const override {
    return std::make_unique<RecordingVerbs>(inner_->OpenVerbs(), folder_);
  }

 private:
  const std::shared_ptr<const Sources> inner_;
  const std::shared_ptr<Folder> folder_;
  const HostRoot root_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Sources>> RecordingSources(
    std::shared_ptr<const Sources> inner, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return ErrnoError(error.value(), fmt::format("folder {}", folder));
  if (!fs::is_empty(folder, error) || error) {
    return FailedPrecondition("folder {} is not empty: a recording starts in a new one", folder);
  }
  const std::string absolute = fs::absolute(folder, error).string();
  return std::make_shared<RecordingHost>(std::move(inner), absolute);
}

}  // namespace roceready::facts
