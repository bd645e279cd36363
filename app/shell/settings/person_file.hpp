// Reads small files that users write beside the settings. These files may contain anything.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/base/messages/message.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Returns the path of the file of that name beside settings_path(); empty if settings_path() is empty.
std::filesystem::path user_file(std::string_view name);

/// Returns the text of the file; nullopt if it does not exist or `path` is empty. The error names the file by
/// `what`, such as "the list of libraries". Files above 1 MiB are errors.
Result<std::optional<std::string>> text_of_user_file(const std::filesystem::path& path, const Message& what);

/// Returns the string at `key`; null unless `entry` is an object with such a string.
const std::string* text_at(const nlohmann::json& entry, const char* key);

}  // namespace kino
