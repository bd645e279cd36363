#include "app/shell/settings/person_file.hpp"

#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "app/shell/settings/settings.hpp"

namespace kino {

std::filesystem::path user_file(std::string_view name) {
  const std::filesystem::path settings = settings_path();
  return settings.empty() ? settings : settings.parent_path() / name;
}

Result<std::optional<std::string>> text_of_user_file(const std::filesystem::path& path, const Message& what) {
  constexpr std::uintmax_t kLargest = 1 << 20;
  std::error_code code;
  if (path.empty() || !std::filesystem::exists(path, code)) return std::optional<std::string>();
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  std::ifstream file(path, std::ios::binary);
  if (code || size > kLargest || !file)
    return Error{Error::Kind::system, {msg::person_file_cannot_be_read, what}};
  return std::optional(std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

const std::string* text_at(const nlohmann::json& entry, const char* key) {
  if (!entry.is_object()) return nullptr;
  const auto found = entry.find(key);
  return found != entry.end() ? found->get_ptr<const std::string*>() : nullptr;
}

}  // namespace kino
