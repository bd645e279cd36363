// Covers: session, document, tile_builder, argument_search
// Opens, reloads, cancels and closes documents at random while it rewrites their files, builds tiles and
// searches. Only a sanitizer or a crash reports an error:
//
//   session_stress [SECONDS] [SEED]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "app/shell/documents/session.hpp"
#include "app/system/offscreen_context.hpp"
#include "loaders/formats/chrome_trace/argument_search.hpp"
#include "render/tile_builder.hpp"
#include "tests/fixtures/loader_files.hpp"
#include "tests/fixtures/random_trace.hpp"

namespace {

using Clock = std::chrono::steady_clock;

class Stress {
 public:
  Stress(unsigned seed, const kino::OpenOptions& options)
      : random_(seed), session_([] {}, [](const kino::Document&) {}, folder_.path() / "bookmarks", options) {
    kino_test::RandomTrace traces(seed);
    const std::string large = traces.document(traces.elements(20'000), ",\n");
    const std::string small = traces.document(traces.elements(50), ",");
    std::string broken = large;
    for (std::size_t at = 0; at < broken.size(); at += 30'011) broken[at] = '\x01';
    contents_ = {large,
                 small,
                 broken,
                 kino_test::gzip(large),
                 kino_test::gzip(broken),
                 large.substr(0, large.size() / 2),
                 "no trace"};
    for (std::size_t i = 0; i < contents_.size(); ++i)
      files_.push_back(folder_.write("trace" + std::to_string(i), contents_[i]));
  }

  void step() {
    switch (below(8)) {
      case 0:
        if (session_.size() < 6) session_.open(std::span(&files_[below(files_.size())], 1));
        break;
      case 1:
        if (!session_.empty() && below(3) == 0) session_.close(below(session_.size()));
        break;
      case 2:
        if (kino::Document* document = any_document()) document->reload();
        break;
      case 3:
        if (kino::Document* document = any_document(); document != nullptr && below(3) == 0)
          document->request_stop();
        break;
      case 4:
        rewrite();
        break;
      case 5:
        build_tiles();
        break;
      case 6:
        search_arguments();
        break;
      default:
        std::this_thread::sleep_for(std::chrono::microseconds(below(20'000)));
    }
    session_.poll();
    session_.take_choices();
    if (std::vector<kino::BuiltTile> built; tiles_) tiles_->take(built);
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  kino::Document* any_document() {
    return session_.empty() ? nullptr : &session_.document(below(session_.size()));
  }

  /// Overwrites a file in place, or replaces it by a new file.
  void rewrite() {
    const std::size_t file = below(files_.size());
    const std::string& content = contents_[below(contents_.size())];
    if (below(2) > 0) {
      folder_.write(files_[file].filename().string(), content);
    } else {
      std::filesystem::rename(folder_.write("new", content), files_[file]);
    }
  }

  void build_tiles() {
    const kino::Document* document = any_document();
    if (document == nullptr || document->kind() != kino::PageKind::timeline) return;
    const std::shared_ptr<const kino::Trace> trace = document->opened().trace;
    if (trace->rows.empty()) return;
    if (!tiles_ || below(3) == 0) {
      tiles_ = std::make_unique<kino::TileBuilder>(trace, pool_, [] {});
      tiled_ = trace;
    }
    std::vector<kino::TileRequest> wanted(20);
    for (kino::TileRequest& request : wanted) {
      request.key.index = static_cast<std::uint32_t>(below(tiled_->rows.size()));
      const auto time =
          static_cast<std::int64_t>(random_()) * 10 % std::max<std::int64_t>(1, tiled_->range.end_ns);
      request.key.place = kino::TilePlace::at(static_cast<int>(below(kino::kMaxTileLevel)), time);
    }
    tiles_->request(wanted);
  }

  /// Searches on its own thread, as the search bar does. The document may be closed or reloaded meanwhile.
  void search_arguments() {
    const kino::Document* document = any_document();
    if (document == nullptr || document->kind() != kino::PageKind::timeline) return;
    search_ = std::jthread([opened = document->opened()](const std::stop_token& stop) {
      const std::vector<kino::ArgumentTerm> terms{{"k1", "1"}};
      kino::ArgumentProgress progress;
      const auto order = kino::slices_by_offset(*opened.trace, stop);
      static_cast<void>(kino::find_arguments(
          *opened.trace, *opened.text, order, terms, [](kino::SliceId) { return true; }, progress, [] {},
          stop, 2));
    });
  }

  std::mt19937 random_;
  kino_test::TemporaryFolder folder_;
  std::vector<std::string> contents_;
  std::vector<std::filesystem::path> files_;
  kino::WorkerPool pool_{2};
  kino::Session session_;
  std::shared_ptr<const kino::Trace> tiled_;
  std::unique_ptr<kino::TileBuilder> tiles_;
  std::jthread search_;
};

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 2;
  const auto seed = static_cast<unsigned>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  const auto context = kino::OffscreenContext::make(64, 64);
  if (!context) {
    std::fprintf(stderr, "%s\n", context.error().what.str().c_str());
    return 1;
  }
  const kino_test::TemporaryFolder cache;
  kino::OpenOptions options;
  options.cache_directory = cache.path();
  options.partial.first_seconds = 0.001;  // partial traces even of these small files
  options.partial.least_seconds_left = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::uint64_t steps = 0;
  {
    Stress stress(seed, options);
    for (; Clock::now() < end; ++steps) stress.step();
  }
  std::printf("%llu steps\n", static_cast<unsigned long long>(steps));
  return 0;
}
