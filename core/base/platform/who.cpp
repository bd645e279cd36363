#include "core/base/platform/who.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <unistd.h>

namespace kino {

std::vector<std::string> machine_and_user_names() {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (name.empty() || name == "root" || name == "localhost") return;
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  };
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) {
    const std::string_view name(host.data());
    add(name);
    add(name.substr(0, name.find('.')));
  }
  for (const char* const variable : {"USER", "LOGNAME"}) {
    if (const char* const value = std::getenv(variable)) add(value);
  }
  if (const char* const home = std::getenv("HOME")) add(std::filesystem::path(home).filename().string());
  return names;
}

}  // namespace kino
