// Linked into what the sanitizers check: libraries stay loaded. A graphics driver that is unloaded before the
// leak check takes the pointers to its tables with it, and its frames in a report have no name to suppress.
extern "C" int dlclose(void* /*library*/) { return 0; }

// fontconfig links its patterns by offsets instead of pointers, so what its cache still holds at the end
// looks lost.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig.so"; }
// What was not counted is not worth a word on stderr, which tests look at.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
