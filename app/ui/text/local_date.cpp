#include "app/ui/text/local_date.hpp"

#include <array>
#include <ctime>

namespace kino {

std::string local_date(std::int64_t unix_s) {
  const std::time_t seconds = unix_s;
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return {};
  std::array<char, 32> text{};
  if (std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local) == 0) return {};
  return text.data();
}

}  // namespace kino
