// Failures as values: `Result<T>` holds a T or an `Error` with what failed, where and why.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "core/base/messages/message.hpp"

namespace kino {

inline constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

/// Reason of a failure. `what` is one sentence for the user without the file name, which is appended when the
/// error is shown.
struct Error {
  enum class Kind {
    not_found,
    no_permission,
    not_a_file,
    unknown_format,
    several_traces,  ///< an archive or folder with several traces
    corrupt,
    wrong_checksum,  ///< complete, but different from the data that was written
    too_large,
    no_space,
    out_of_memory,
    cancelled,
    unexplained,  ///< the recording does not explain enough for a result
    system,
  };

  Kind kind = Kind::system;
  Message what;
  std::uint64_t offset = kNoOffset;  ///< byte in the (decompressed) text, or kNoOffset
};

/// Returns the error of a stopped action. If `what` is "Loading": "Loading was cancelled".
inline Error cancelled(const Message& what) {
  return {Error::Kind::cancelled, Message(msg::was_cancelled, what)};
}

/// A value, or the Error that prevented it. Handle an error exactly once: return it or show it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  T* operator->() { return &value(); }

  Error& error() { return std::get<1>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace kino
