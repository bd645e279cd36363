#include "loaders/formats/databases/text_vfs.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace kino {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;  // bytes read at once: SQLite requests single pages

/// State of an open file, in memory that SQLite allocates.
struct TextFile {
  sqlite3_file base;  // must be first
  const TextVfs* vfs;
  std::vector<char>* block;
  sqlite3_int64 block_begin;
  std::size_t block_size;
};

TextFile* of(sqlite3_file* file) { return reinterpret_cast<TextFile*>(file); }

int close(sqlite3_file* file) {
  delete of(file)->block;
  of(file)->block = nullptr;
  return SQLITE_OK;
}

int read(sqlite3_file* file, void* out, int amount, sqlite3_int64 offset) {
  TextFile& text_file = *of(file);
  auto* to = static_cast<char*>(out);
  auto left = static_cast<std::size_t>(std::max(0, amount));
  while (left > 0) {
    const bool here = offset >= text_file.block_begin &&
                      offset < text_file.block_begin + static_cast<sqlite3_int64>(text_file.block_size);
    if (!here) {
      text_file.block_begin = offset - offset % static_cast<sqlite3_int64>(kBlock);
      const Result<std::size_t> got =
          text_file.vfs->text().read(static_cast<std::uint64_t>(text_file.block_begin), *text_file.block);
      if (!got) return SQLITE_IOERR_READ;
      text_file.block_size = got.value();
      text_file.vfs->count_read(text_file.block_size);
      if (offset >= text_file.block_begin + static_cast<sqlite3_int64>(text_file.block_size)) {
        std::memset(to, 0, left);
        return SQLITE_IOERR_SHORT_READ;
      }
    }
    const auto from = static_cast<std::size_t>(offset - text_file.block_begin);
    const std::size_t count = std::min(left, text_file.block_size - from);
    std::memcpy(to, text_file.block->data() + from, count);
    to += count;
    left -= count;
    offset += static_cast<sqlite3_int64>(count);
  }
  return SQLITE_OK;
}

int write(sqlite3_file* /*file*/, const void* /*data*/, int /*amount*/, sqlite3_int64 /*offset*/) {
  return SQLITE_READONLY;
}
int truncate(sqlite3_file* /*file*/, sqlite3_int64 /*size*/) { return SQLITE_READONLY; }
int sync(sqlite3_file* /*file*/, int /*flags*/) { return SQLITE_OK; }
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(of(file)->vfs->text().size_bytes());
  return SQLITE_OK;
}
int lock(sqlite3_file* /*file*/, int /*level*/) { return SQLITE_OK; }
int reserved_lock(sqlite3_file* /*file*/, int* locked) {
  *locked = 0;
  return SQLITE_OK;
}
int control(sqlite3_file* /*file*/, int /*operation*/, void* /*argument*/) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file* /*file*/) { return 4096; }
// Declares the file immutable, so that SQLite does not look for a write-ahead log.
int characteristics(sqlite3_file* /*file*/) { return SQLITE_IOCAP_IMMUTABLE; }

const sqlite3_io_methods kMethods = [] {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = close;
  methods.xRead = read;
  methods.xWrite = write;
  methods.xTruncate = truncate;
  methods.xSync = sync;
  methods.xFileSize = file_size;
  methods.xLock = lock;
  methods.xUnlock = lock;
  methods.xCheckReservedLock = reserved_lock;
  methods.xFileControl = control;
  methods.xSectorSize = sector_size;
  methods.xDeviceCharacteristics = characteristics;
  return methods;
}();

int open(sqlite3_vfs* vfs, sqlite3_filename /*name*/, sqlite3_file* file, int flags, int* out_flags) {
  TextFile& text_file = *of(file);
  text_file.base.pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
  text_file.vfs = static_cast<const TextVfs*>(vfs->pAppData);
  text_file.block = new (std::nothrow) std::vector<char>();
  if (text_file.block == nullptr) return SQLITE_NOMEM;
  try {
    text_file.block->resize(kBlock);
  } catch (const std::bad_alloc&) {
    close(file);
    return SQLITE_NOMEM;
  }
  text_file.block_begin = 0;
  text_file.block_size = 0;
  text_file.base.pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

int remove(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*sync*/) { return SQLITE_READONLY; }
int access(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*flags*/, int* answer) {
  *answer = 0;
  return SQLITE_OK;
}
int full_path(sqlite3_vfs* /*vfs*/, const char* name, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", name);
  return SQLITE_OK;
}
int randomness(sqlite3_vfs* /*vfs*/, int count, char* out) {
  std::memset(out, 0, static_cast<std::size_t>(std::max(0, count)));
  return count;
}
int sleep(sqlite3_vfs* /*vfs*/, int us) { return us; }
int current_time(sqlite3_vfs* /*vfs*/, double* day) {
  *day = 0;
  return SQLITE_OK;
}
int last_error(sqlite3_vfs* /*vfs*/, int /*size*/, char* /*out*/) { return 0; }

}  // namespace

TextVfs::TextVfs(std::shared_ptr<const TextSource> text) : text_(std::move(text)) {
  static std::atomic<std::uint64_t> number{0};
  name_ = "kinetoscope-" + std::to_string(++number);
  vfs_.iVersion = 1;
  vfs_.szOsFile = sizeof(TextFile);
  vfs_.mxPathname = 64;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = open;
  vfs_.xDelete = remove;
  vfs_.xAccess = access;
  vfs_.xFullPathname = full_path;
  vfs_.xRandomness = randomness;
  vfs_.xSleep = sleep;
  vfs_.xCurrentTime = current_time;
  vfs_.xGetLastError = last_error;
  registered_ = sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK;
}

TextVfs::~TextVfs() {
  if (registered_) sqlite3_vfs_unregister(&vfs_);
}

}  // namespace kino
