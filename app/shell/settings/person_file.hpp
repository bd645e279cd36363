// Small files that a person writes beside the settings: read whole, and not trusted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Of that name beside settings_path(); empty when that is.
std::filesystem::path person_file(std::string_view name);

/// The text of the file; nothing when there is none, or `path` is empty. Fails with `what`, e.g. "the list of
/// libraries", that cannot be read and was ignored; a file of more than 1 MiB is none that a person wrote.
Result<std::optional<std::string>> text_of_person_file(const std::filesystem::path& path,
                                                       const Message& what);

}  // namespace kino
