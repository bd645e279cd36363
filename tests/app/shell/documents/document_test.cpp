// Covers: document, document_bar
// A document shows parts of its file while it loads, can be reloaded, and reports if it shows only a part.
#include "app/shell/documents/document.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/shell/document_bar.hpp"
#include "app/system/offscreen_context.hpp"
#include "loaders/bytes/file_source.hpp"
#include "tests/fixtures/eventually.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fixtures/trace_fixture.hpp"

namespace {

using kino::Document;
using kino::Error;
using kino::OpenedTrace;
using Notice = Document::Notice;
using State = Document::State;
using Clock = std::chrono::steady_clock;

OpenedTrace trace_of(int slices, std::uint64_t stamp_size = 1, bool limited = false) {
  kino::TraceFixture fixture;
  std::vector<kino::FixtureSlice> row;
  for (int i = 0; i < slices; ++i) row.push_back({i * 1000, 500, 0});
  fixture.add_row(row);
  if (limited) fixture.add_damage(kino::DamageReason::spool_limit);
  OpenedTrace opened;
  opened.trace = fixture.build();
  opened.text = std::make_shared<kino::FileSource>(kino::Descriptor());
  opened.stamp.size_bytes = stamp_size;
  return opened;
}

/// A loader that a test controls step by step.
class ScriptedLoader {
 public:
  using Result = kino::Result<kino::OpenedFile>;

  kino::LoadJob::Open open() {
    return [this](const std::filesystem::path&, const kino::OpenOptions& options, kino::LoadProgress&,
                  const std::stop_token& stop) -> Result {
      ++started;
      for (;;) {
        std::function<std::optional<Result>(const kino::OpenOptions&)> step;
        {
          const std::lock_guard lock(mutex_);
          if (!steps_.empty()) {
            step = std::move(steps_.front());
            steps_.pop_front();
          }
        }
        if (step) {
          if (auto result = step(options)) return std::move(*result);
        }
        if (stop.stop_requested()) return Error{Error::Kind::cancelled, "Loading was cancelled"};
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
  }
  void part(int slices, double share) {
    then([slices, share](const kino::OpenOptions& options) {
      REQUIRE(options.on_partial);
      options.on_partial(trace_of(slices), share);
      return std::optional<Result>();
    });
  }
  void finish(int slices, std::uint64_t stamp_size = 1) {
    then([=](const kino::OpenOptions&) {
      return std::optional<Result>(kino::OpenedFile(trace_of(slices, stamp_size)));
    });
  }
  /// Finishes with a trace that was cut at the decompression limit, unless the limit is disabled.
  void finish_within_limit(int slices) {
    then([=](const kino::OpenOptions& options) {
      return std::optional<Result>(kino::OpenedFile(trace_of(slices, 1, !options.spool_limit.none)));
    });
  }
  void fail(const std::string& what) {
    then([what](const kino::OpenOptions&) {
      return std::optional<Result>(Error{Error::Kind::system, what});
    });
  }
  std::atomic<int> started{0};

 private:
  void then(std::function<std::optional<Result>(const kino::OpenOptions&)> step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
  }
  std::mutex mutex_;
  std::deque<std::function<std::optional<Result>(const kino::OpenOptions&)>> steps_;  // guarded by mutex_
};

struct Room {
  std::unique_ptr<kino::OffscreenContext> context;
  kino::WorkerPool pool{1};
  ScriptedLoader loader;
  std::unique_ptr<Document> document;

  explicit Room(const std::filesystem::path& path = "/traces/a.json") {
    auto made = kino::OffscreenContext::make(64, 64);
    REQUIRE_MESSAGE(made.ok(), made.error().what.str());
    context = std::move(made).value();
    document = std::make_unique<Document>(
        path, kino::OpenOptions{}, "", pool, [] {}, loader.open());
  }
  Document& operator*() const { return *document; }
  bool comes_to(const std::function<bool(const Document&)>& holds) const {
    return kino_test::eventually([&] {
      document->poll();
      return holds(*document);
    });
  }
  std::size_t slices() const { return document->opened().trace->slice_count(); }
  void note_disk(std::optional<std::uint64_t> size) const {
    kino::FileWatch::Look look{std::nullopt, Clock::now()};
    if (size) look.stamp = kino::FileStamp{.size_bytes = *size};
    document->note_disk(look);
  }
};

bool not_loading(const Document& document) { return !document.loading(); }

}  // namespace

TEST_CASE("parts are shown and labeled while a document loads, then the whole document") {
  Room room;
  CHECK((*room).state() == State::loading);
  CHECK((*room).kind() == kino::PageKind::none);
  CHECK((*room).notice() == Notice::none);
  room.loader.part(10, 0.25);
  REQUIRE(
      room.comes_to([](const Document& document) { return document.kind() == kino::PageKind::timeline; }));
  CHECK((*room).state() == State::loading);
  CHECK((*room).notice() == Notice::part_loading);
  CHECK(kino::notice_text(*room) == "Partial: 25 % of the file is shown, 0 events so far");
  CHECK(room.slices() == 10);
  room.loader.part(20, 0.9999);
  REQUIRE(room.comes_to([&](const Document&) { return room.slices() == 20; }));
  CHECK(kino::notice_text(*room).find("99 %") != std::string::npos);  // a part is never called 100 %
  room.loader.finish(30);
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::ready);
  CHECK((*room).notice() == Notice::none);
  CHECK((*room).shown_share() == 1);
  CHECK(room.slices() == 30);
}

TEST_CASE("cancelling keeps the loaded part with a label until the file is loaded again") {
  Room room;
  room.loader.part(10, 0.37);
  REQUIRE(
      room.comes_to([](const Document& document) { return document.kind() == kino::PageKind::timeline; }));
  (*room).request_stop();
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::failed);
  CHECK((*room).kind() == kino::PageKind::timeline);
  CHECK((*room).notice() == Notice::part_only);
  CHECK(kino::notice_text(*room) == "Partial: loading was cancelled, 37 % of the file is shown");
  room.note_disk(999);
  (*room).dismiss_notice();
  CHECK((*room).notice() == Notice::part_only);  // the label of a part cannot be dismissed

  (*room).reload();
  CHECK((*room).state() == State::loading);
  CHECK((*room).notice() == Notice::part_loading);
  room.loader.part(3, 0.1);  // less than the visible part
  REQUIRE(kino_test::eventually([&] { return room.loader.started == 2; }));
  room.loader.part(20, 0.5);
  REQUIRE(room.comes_to([&](const Document&) { return room.slices() != 10; }));
  CHECK(room.slices() == 20);
  room.loader.finish(30);
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::ready);
  CHECK(room.slices() == 30);
}

TEST_CASE("cancelling before the first part leaves nothing") {
  Room room;
  (*room).request_stop();
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::failed);
  CHECK((*room).kind() == kino::PageKind::none);
  CHECK((*room).error().kind == Error::Kind::cancelled);
}

TEST_CASE("a load that fails halfway keeps its last part and reports the reason") {
  Room room;
  room.loader.part(10, 0.5);
  REQUIRE(
      room.comes_to([](const Document& document) { return document.kind() == kino::PageKind::timeline; }));
  room.loader.fail("there is not enough memory");
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::failed);
  CHECK(room.slices() == 10);
  CHECK(kino::notice_text(*room) ==
        "Partial: loading failed; 50 % of the file is shown. There is not enough memory");
}

TEST_CASE("reloading keeps the view, and shows the old content until the new one is ready") {
  Room room;
  room.loader.finish(1000);
  REQUIRE(room.comes_to(not_loading));
  (*room).timeline()->show({10'000, 20'000});
  (*room).timeline()->select(kino::SliceId{15});
  room.note_disk(2);
  CHECK((*room).notice() == Notice::changed);
  CHECK(kino::notice_text(*room) == "This file has changed on disk.");
  (*room).reload();
  (*room).reload();  // has no effect while the file is being reloaded
  CHECK((*room).state() == State::ready);
  CHECK(room.slices() == 1000);
  room.loader.finish(2000, 2);
  REQUIRE(room.comes_to(not_loading));
  CHECK(room.loader.started == 2);
  CHECK(room.slices() == 2000);
  CHECK((*room).timeline()->selection() == kino::SliceId{15});
  CHECK((*room).notice() == Notice::none);
}

TEST_CASE("a failed reload keeps the old content and shows a notice that can be dismissed") {
  Room room;
  room.loader.finish(10);
  REQUIRE(room.comes_to(not_loading));
  (*room).reload();
  room.loader.fail("there is no such file");
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::ready);
  CHECK(room.slices() == 10);
  CHECK((*room).notice() == Notice::reload_failed);
  CHECK(kino::notice_text(*room).find("There is no such file") != std::string::npos);
  (*room).dismiss_notice();
  CHECK((*room).notice() == Notice::none);
  (*room).reload();
  (*room).request_stop();
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::ready);
  CHECK((*room).notice() == Notice::none);
}

TEST_CASE("a load that stops at the decompression limit asks the user, and loading again exceeds the limit") {
  Room room;
  room.loader.finish_within_limit(10);
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).notice() == Notice::limited);
  CHECK(kino::notice_text(*room).find("Continue?") != std::string::npos);
  (*room).reload();
  room.loader.finish_within_limit(20);
  REQUIRE(room.comes_to(not_loading));
  CHECK(room.slices() == 20);
  CHECK((*room).notice() == Notice::none);
}

TEST_CASE("if the question is dismissed, the limit remains and the next load asks again") {
  Room room;
  room.loader.finish_within_limit(10);
  REQUIRE(room.comes_to(not_loading));
  (*room).dismiss_notice();
  CHECK((*room).notice() == Notice::none);
  (*room).reload();
  room.loader.finish_within_limit(10);
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).notice() == Notice::limited);
}

TEST_CASE("reports a changed or missing file again only after another change once dismissed") {
  Room room;
  room.loader.finish(10);
  REQUIRE(room.comes_to(not_loading));
  room.note_disk(1);
  CHECK((*room).notice() == Notice::none);
  room.note_disk(2);
  CHECK((*room).notice() == Notice::changed);
  (*room).dismiss_notice();
  CHECK((*room).notice() == Notice::none);
  room.note_disk(2);
  CHECK((*room).notice() == Notice::none);
  room.note_disk(3);
  CHECK((*room).notice() == Notice::changed);
  room.note_disk(std::nullopt);
  CHECK((*room).notice() == Notice::vanished);
  CHECK(kino::notice_text(*room) == "This file is no longer on disk. The loaded events remain.");
  room.note_disk(1);
  CHECK((*room).notice() == Notice::none);
}

TEST_CASE("ignores file states from before the trace was opened") {
  Room room;
  const kino::FileWatch::Look old{kino::FileStamp{.size_bytes = 7}, Clock::now() - std::chrono::seconds(5)};
  (*room).note_disk(old);
  room.loader.finish(10);
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).notice() == Notice::none);
}

TEST_CASE("a document that failed to open can be loaded again") {
  Room room;
  room.loader.fail("no permission");
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::failed);
  CHECK((*room).kind() == kino::PageKind::none);
  (*room).reload();
  CHECK((*room).state() == State::loading);
  room.loader.finish(10);
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).state() == State::ready);
}

TEST_CASE("a folder with one trace has changed when that trace has, and not when the folder has") {
  const kino_test::TemporaryFolder folder;
  const auto file =
      folder.write("only.json", R"({"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2}]})");
  Room room(file.parent_path());
  room.loader.finish(10);
  CHECK((*room).watched_file() == file.parent_path());
  room.note_disk(4096);  // the state of the folder
  REQUIRE(room.comes_to(not_loading));
  CHECK((*room).watched_file() == file);
  CHECK((*room).notice() == Notice::none);
  room.note_disk(1);
  CHECK((*room).notice() == Notice::none);
  room.note_disk(2);
  CHECK((*room).notice() == Notice::changed);
}
