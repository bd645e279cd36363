#include "app/shell/settings/library_list.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/shell/settings/person_file.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostLibraries = 1000;

std::mutex libraries_mutex;
std::shared_ptr<const LibraryList> chosen_libraries;  // guarded by libraries_mutex; null: the built-in list

}  // namespace

std::shared_ptr<const LibraryList> libraries() {
  const std::scoped_lock lock(libraries_mutex);
  if (chosen_libraries == nullptr)
    chosen_libraries = std::make_shared<const LibraryList>(default_libraries());
  return chosen_libraries;
}

void set_libraries(LibraryList list) {
  auto fresh = std::make_shared<const LibraryList>(std::move(list));
  const std::scoped_lock lock(libraries_mutex);
  chosen_libraries = std::move(fresh);
}

std::filesystem::path library_list_path() { return user_file("libraries.json"); }

Result<LibraryList> libraries_from_json(std::string_view text) {
  const Error wrong{Error::Kind::corrupt, msg::libraries_not_an_array};
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array() || json.size() > kMostLibraries) return wrong;
  LibraryList list;
  for (const nlohmann::json& entry : json) {
    const auto* const name = entry.get_ptr<const std::string*>();
    if (name == nullptr || name->empty()) return wrong;
    list.push_back(*name);
  }
  return list;
}

LibraryList libraries_from_words(std::string_view words) {
  LibraryList list;
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    if (comma > 0) list.emplace_back(words.substr(0, comma));
    words.remove_prefix(std::min(comma + 1, words.size()));
  }
  return list;
}

std::string use_libraries(const std::optional<LibraryList>& given, const std::filesystem::path& path) {
  if (given) {
    set_libraries(*given);
    return {};
  }
  set_libraries(default_libraries());
  const auto text = text_of_user_file(path, msg::library_list);
  if (!text.ok()) return text.error().what.str() + ": " + path.string();
  if (!text.value()) return {};
  Result<LibraryList> list = libraries_from_json(*text.value());
  if (!list.ok()) return list.error().what.str() + ": " + path.string();
  set_libraries(std::move(list).value());
  return {};
}

}  // namespace kino
