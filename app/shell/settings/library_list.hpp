// The list of libraries that a person has: --libraries, else libraries.json beside the settings.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/library_frames.hpp"
#include "core/base/result.hpp"

namespace kino {

/// libraries.json beside settings_path(); empty when that is.
std::filesystem::path library_list_path();
/// ["python", "torch", "einops"]: see LibraryList. Fails with a sentence.
Result<LibraryList> libraries_from_json(std::string_view text);
/// "python,torch,einops".
LibraryList libraries_from_words(std::string_view words);
/// Makes `told` the list, or what the file says, or the built-in one. Why a file is not used, one sentence;
/// empty when it is, or there is none.
std::string use_libraries(const std::optional<LibraryList>& told, const std::filesystem::path& path);

}  // namespace kino
