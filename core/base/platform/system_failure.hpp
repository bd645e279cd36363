// Converts the errno of a failed system call to an Error.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Returns the error for the errno `reason`. The sentence is only the system's text; the kind is no_space,
/// no_permission, not_found or system.
inline Error system_failure(int reason, std::uint64_t offset = kNoOffset) {
  const Error::Kind kind = reason == ENOSPC || reason == EDQUOT  ? Error::Kind::no_space
                           : reason == EACCES || reason == EPERM ? Error::Kind::no_permission
                           : reason == ENOENT                    ? Error::Kind::not_found
                                                                 : Error::Kind::system;
  return {kind, std::strerror(reason), offset};
}

/// Puts "<what>: " before the sentence of an error.
inline Error with_prefix(const Message& what, Error error) {
  error.what = Message(msg::with_colon, what, error.what);
  return error;
}

/// Like with_prefix(), but changes the kind to system unless it is no_space.
inline Error no_space_or_system(const Message& what, Error error) {
  if (error.kind != Error::Kind::no_space) error.kind = Error::Kind::system;
  return with_prefix(what, std::move(error));
}

}  // namespace kino
