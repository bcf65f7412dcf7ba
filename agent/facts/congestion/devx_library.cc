// SPDX-License-Identifier: Apache-2.0
// DEVX through mlx5's provider library, which is loaded only where there is such a device.
#include <dlfcn.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <string>

#include "agent/facts/congestion/devx.h"
#include "agent/facts/verbs_list.h"

namespace roceready::facts {
namespace {

struct ContextDeleter {
  void operator()(ibv_context* context) const { ibv_close_device(context); }
};
using Context = std::unique_ptr<ibv_context, ContextDeleter>;

// Stays loaded: libibverbs has the same library open for its devices.
struct Provider {
  decltype(&mlx5dv_open_device) open = nullptr;
  decltype(&mlx5dv_devx_general_cmd) command = nullptr;
};
absl::StatusOr<Provider> LoadProvider() {
  void* library = dlopen("libmlx5.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Unimplemented("mlx5's provider library is not installed");
  Provider provider;
  provider.open = reinterpret_cast<decltype(provider.open)>(dlsym(library, "mlx5dv_open_device"));
  provider.command =
      reinterpret_cast<decltype(provider.command)>(dlsym(library, "mlx5dv_devx_general_cmd"));
  if (provider.open == nullptr || provider.command == nullptr) {
    return Unimplemented("mlx5's provider library is too old for DEVX");
  }
  return provider;
}

absl::StatusOr<Context> OpenDevx(const Provider& provider, const std::string& name) {
  ASSIGN_OR_RETURN(const VerbsList list, VerbsList::Read());
  ibv_device* const device = list.Find(name);
  if (device == nullptr) return NotFound("verbs device {}: not in the library's list", name);
  mlx5dv_context_attr attributes{};
  attributes.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
  errno = 0;
  Context context(provider.open(device, &attributes));
  if (context == nullptr) return ErrnoError(errno, fmt::format("open DEVX of {}", name));
  return context;
}

absl::StatusOr<bool> Ask(const Provider& provider, ibv_context* context,
                         CongestionProtocol protocol, uint8_t priority) {
  const CongestionCommand command = QueryCongestionStatus(protocol, priority);
  CongestionCommand answer{};
  const int error =
      provider.command(context, command.data(), command.size(), answer.data(), answer.size());
  // A newer kernel turns the firmware's refusal into EREMOTEIO and fills the answer all the same.
  if (error != 0 && answer[0] == 0) return ErrnoError(error, "DEVX command");
  return DecodeCongestionStatus(answer);
}

}  // namespace

absl::StatusOr<VerbsCongestionPoints> ReadCongestionPointsByDevx(const std::string& rdma_device) {
  ASSIGN_OR_RETURN(const Provider provider, LoadProvider());
  ASSIGN_OR_RETURN(const Context context, OpenDevx(provider, rdma_device));
  VerbsCongestionPoints points;
  for (uint8_t priority = 0; priority < 8; ++priority) {
    const auto bit = static_cast<uint8_t>(1u << priority);
    ASSIGN_OR_RETURN(const bool notifies, Ask(provider, context.get(),
                                              CongestionProtocol::kNotificationPoint, priority));
    ASSIGN_OR_RETURN(const bool reacts,
                     Ask(provider, context.get(), CongestionProtocol::kReactionPoint, priority));
    if (notifies) points.notification |= bit;
    if (reacts) points.reaction |= bit;
  }
  return points;
}

}  // namespace roceready::facts
