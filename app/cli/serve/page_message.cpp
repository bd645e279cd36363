#include "app/cli/serve/page_message.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/cli/serve/page_keys.hpp"

namespace kino {
namespace {

constexpr double kMostPixels = 16384;
constexpr std::size_t kMostOpened = 64;
constexpr double kMostUploadBytes = 1e15;

/// Returns the number at a key of an object, limited to a range; `fallback` if there is no number.
double number_of(const nlohmann::json& object, const char* key, double fallback, double least, double most) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return fallback;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::clamp(value, least, most) : fallback;
}

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

PageSize size_of(const nlohmann::json& object) {
  PageSize size;
  size.width = static_cast<int>(number_of(object, "width", size.width, 64, kMostPixels));
  size.height = static_cast<int>(number_of(object, "height", size.height, 64, kMostPixels));
  size.ratio = static_cast<float>(number_of(object, "ratio", 1, 0.5, 4));
  return size;
}

UploadRequest request_of(const nlohmann::json& object) {
  const auto last = object.find("last");
  return {.name = text_of(object, "name"),
          .bytes = static_cast<std::uint64_t>(number_of(object, "bytes", 0, 0, kMostUploadBytes)),
          .last = last != object.end() && last->is_boolean() && last->get<bool>()};
}

bool is_pair_of_numbers(const nlohmann::json& event) {
  return event.size() == 3 && event[1].is_number() && event[2].is_number();
}

/// Passes one event to `input`: ["m", x, y], ["w", x, y], ["b", button, down], ["k", key, position, down],
/// ["t", text] or ["f", gained]. Returns false if it is invalid.
bool take_event(const nlohmann::json& event, RemoteInput& input) {
  if (!event.is_array() || event.empty() || !event[0].is_string()) return false;
  const std::string kind = event[0].get<std::string>();
  if (kind == "m" && is_pair_of_numbers(event)) {
    input.move(event[1].get<double>(), event[2].get<double>());
  } else if (kind == "w" && is_pair_of_numbers(event)) {
    input.wheel(event[1].get<double>(), event[2].get<double>());
  } else if (kind == "b" && event.size() == 3 && event[1].is_number_unsigned() && event[2].is_boolean()) {
    input.button(static_cast<int>(std::min<std::uint64_t>(event[1].get<std::uint64_t>(), 1000)),
                 event[2].get<bool>());
  } else if (kind == "k" && event.size() == 4 && event[1].is_string() && event[2].is_string() &&
             event[3].is_boolean()) {
    input.key(
        key_from_browser(event[1].get_ref<const std::string&>(), event[2].get_ref<const std::string&>()),
        event[3].get<bool>());
  } else if (kind == "t" && event.size() == 2 && event[1].is_string()) {
    input.text(event[1].get_ref<const std::string&>());
  } else if (kind == "f" && event.size() == 2 && event[1].is_boolean()) {
    input.focus(event[1].get<bool>());
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<PageHello> parse_hello(std::string_view text) {
  const nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
  if (!message.is_object() || text_of(message, "t") != "hello") return std::nullopt;
  PageHello hello;
  hello.version = static_cast<unsigned>(number_of(message, "version", 0, 0, 1e6));
  hello.token = text_of(message, "token");
  hello.session = text_of(message, "session");
  hello.size = size_of(message);
  hello.largest_texture = static_cast<int>(number_of(message, "texture", 2048, 2048, kMostPixels));
  hello.language = text_of(message, "language");
  const auto open = message.find("open");
  if (open == message.end() || !open->is_array()) return hello;
  for (const nlohmann::json& path : *open) {
    if (path.is_string() && hello.open.size() < kMostOpened) hello.open.push_back(path.get<std::string>());
  }
  return hello;
}

std::optional<PageMessage> parse_page_message(std::string_view text, RemoteInput& input) {
  using Kind = PageMessage::Kind;
  static constexpr std::array<std::pair<std::string_view, Kind>, 10> kKinds{{{"in", Kind::input},
                                                                             {"size", Kind::size},
                                                                             {"ack", Kind::acknowledged},
                                                                             {"show", Kind::visible},
                                                                             {"hide", Kind::hidden},
                                                                             {"paste", Kind::pasted},
                                                                             {"resend", Kind::resend},
                                                                             {"got", Kind::received},
                                                                             {"upload", Kind::upload},
                                                                             {"cancel", Kind::cancel}}};
  const nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
  if (!message.is_object()) return std::nullopt;
  const std::string name = text_of(message, "t");
  const auto* const kind =
      std::ranges::find_if(kKinds, [&name](const auto& row) { return row.first == name; });
  if (kind == kKinds.end()) return std::nullopt;
  PageMessage result{.kind = kind->second,
                     .size = size_of(message),
                     .text = text_of(message, "text"),
                     .request = request_of(message)};
  if (result.kind != Kind::input) return result;
  const auto events = message.find("e");
  if (events == message.end() || !events->is_array()) return std::nullopt;
  const bool valid = std::ranges::all_of(
      *events, [&input](const nlohmann::json& event) { return take_event(event, input); });
  return valid ? std::optional(result) : std::nullopt;
}

}  // namespace kino
