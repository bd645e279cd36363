// The unit of the times in the charts and lists of a page.
#pragma once

#include <cstdint>
#include <string>

namespace kino {

/// ms, or us if the mean step is shorter than 10 ms.
class TimeScale {
 public:
  explicit TimeScale(std::int64_t mean_ns);
  const char* unit() const { return milliseconds_ ? "ms" : "us"; }
  /// Returns the number without its unit: "52.06".
  std::string number(std::int64_t ns) const;

 private:
  bool milliseconds_;
};

}  // namespace kino
