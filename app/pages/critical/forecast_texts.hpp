// Texts of forecasts: titles of settings, changes without digits finer than their error, and the verdict.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/pages/critical/critical_content.hpp"
#include "core/critical/what_if.hpp"

namespace kino {

/// Returns the title of a setting without its value: "Data loader" for "loader".
std::string setting_title(std::string_view name);
/// Returns the title of a setting with its value: "Data loader: no time" for "loader=0". Settings that are not
/// known keep their own text.
std::string changed_setting_title(std::string_view setting);

/// Half of the length of a forecast's bar, in ns; at least 1.
std::int64_t bar_error_ns(const Forecast& forecast, std::int64_t window_ns);
/// Returns a change such as "-14.3 ms" in the unit of `window_ns`, without digits finer than `error_ns`.
/// "0 ms" if no digit remains.
std::string change_text(std::int64_t change_ns, std::int64_t error_ns, std::int64_t window_ns);
/// Returns a change relative to the window such as "-18 %", without decimals finer than `error_ns`.
std::string change_share_text(std::int64_t change_ns, std::int64_t error_ns, std::int64_t window_ns);
/// Returns a length such as "62.8 ms", like change_text().
std::string forecast_length_text(std::int64_t length_ns, std::int64_t error_ns, std::int64_t window_ns);

/// Returns the sentence on the largest part of the path.
std::string critical_headline(const CriticalContent& content);
/// Returns the sentences below it: what would help, what would not, and what is missing. `forecasts` may be
/// null.
std::string critical_evidence(const CriticalContent& content, const std::vector<Forecast>* forecasts);

}  // namespace kino
