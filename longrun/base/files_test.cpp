// Files: read, written as a whole, locked by one process at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "longrun/base/file_lock.h"
#include "longrun/base/input_error.h"
#include "longrun/base/read_file.h"
#include "longrun/base/system_error.h"
#include "longrun/base/write_file.h"
#include "tests/error_of.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

namespace fs = std::filesystem;

std::size_t entries_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ReadFile, ReturnsTheContent) {
  for (const std::string& text : {std::string(), std::string("a\0b\r\n", 5), std::string(100'000, 'x')}) {
    EXPECT_EQ(read_file(written("read", text), "text file"), text);
  }
}

TEST(ReadFile, AMissingFileAndAFolderAreInputErrors) {
  const auto error_for = [](const std::string& path) { return error_of([&] { read_file(path, "text file"); }); };
  const std::string missing = scratch_path("missing");
  EXPECT_EQ(error_for(missing), missing + ": no such file");
  EXPECT_EQ(error_for("/proc"), "/proc: is a folder, not a text file");
}

TEST(ReadFile, AnyOtherFailureIsASystemErrorWithItsReason) {
  const std::string loop = scratch_path("loop");
  fs::create_symlink(loop, loop);
  const std::string forbidden = written("forbidden", "text");
  fs::permissions(forbidden, fs::perms::none);
  struct Case {
    std::string path;
    std::string reason;
  };
  std::vector<Case> cases{{loop, "Too many levels of symbolic links"}, {"/proc/self/mem", "Input/output error"}};
  if (geteuid() != 0) cases.push_back({forbidden, "Permission denied"});  // root may read everything
  for (const auto& [path, reason] : cases) {
    try {
      read_file(path, "text file");
      ADD_FAILURE() << path;
    } catch (const SystemError& error) {
      EXPECT_EQ(std::string(error.what()), fmt::format("{}: cannot be read: {}", path, reason));
    }
  }
}

TEST(WriteFile, MakesMissingFoldersAndReplacesTheOldContent) {
  const std::string path = scratch_path("new/folders/file.txt");
  write_file(path, std::string("a\0b\r\n", 5));
  EXPECT_EQ(content(path), std::string("a\0b\r\n", 5));
  write_file(path, "short");
  EXPECT_EQ(content(path), "short");
  write_file(path, "");
  EXPECT_EQ(content(path), "");
  EXPECT_EQ(entries_in(scratch_path("new/folders")), 1U) << "no unfinished file is left";
}

TEST(WriteFile, AFailureIsASystemErrorThatNamesThePath) {
  const std::string file = written("a_file", "");
  const std::string folder = scratch_path("a_folder");
  fs::create_directories(folder + "/inside");
  for (const std::string& path : {file + "/below", folder, scratch_path(std::string(300, 'x'))}) {
    try {
      write_file(path, "text");
      FAIL() << "no error for " << path;
    } catch (const SystemError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": cannot be written: ")) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_EQ(content(file), "");
  EXPECT_EQ(entries_in(folder), 1U);
}

TEST(WriteFile, AMissingFolderOfAFileThatAUserNamesIsAnError) {
  const std::string folder = scratch_path("typo");
  EXPECT_EQ(error_of<SystemError>([&] { check_folder_of(folder + "/a.csv"); }),
            fmt::format("{0}/a.csv: cannot be written: there is no folder {0}", folder));
  const std::string file = written("a_file", "");
  EXPECT_THROW(check_folder_of(file + "/a.csv"), SystemError);
  EXPECT_NO_THROW(check_folder_of("a.csv"));
  EXPECT_NO_THROW(check_folder_of(scratch_path("a.csv")));
  EXPECT_FALSE(fs::exists(folder));
}

TEST(MakeFolder, MakesParentsAndRefusesAFile) {
  const std::string folder = scratch_path("one/two");
  make_folder(folder);
  make_folder(folder);
  EXPECT_TRUE(fs::is_directory(folder));
  const std::string file = written("one/file", "");
  try {
    make_folder(file);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), file + ": is a file, not a folder");
  }
  EXPECT_THROW(make_folder(file + "/below"), SystemError);
}

TEST(FileLock, IsHeldByOneAtATimeAndEndsWithItsScope) {
  const std::string path = scratch_path("lock");
  EXPECT_FALSE(FileLock::is_locked(path));
  EXPECT_FALSE(fs::exists(path)) << "asking makes no file";
  {
    std::optional<FileLock> lock = FileLock::try_lock(path);
    ASSERT_TRUE(lock);
    EXPECT_TRUE(FileLock::is_locked(path));
    EXPECT_FALSE(FileLock::try_lock(path));
    const FileLock moved = *std::move(lock);
    lock.reset();  // NOLINT(bugprone-use-after-move): the lock itself was moved, not the optional
    EXPECT_TRUE(FileLock::is_locked(path));
  }
  EXPECT_FALSE(FileLock::is_locked(path));
  const FileLock again(path);
  EXPECT_TRUE(FileLock::is_locked(path));
}

TEST(FileLock, NamesTheProcessThatHoldsIt) {
  const std::string path = scratch_path("held");
  EXPECT_EQ(FileLock::last_holder(path), "an unknown process");
  const FileLock lock(path);
  EXPECT_TRUE(FileLock::last_holder(path).starts_with("process " + std::to_string(getpid()) + " on "))
      << FileLock::last_holder(path);
}

TEST(FileLock, EndsWithTheProcess) {
  const std::string path = scratch_path("killed");
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock(path);
    [[maybe_unused]] const auto told = write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char told = 0;
  ASSERT_EQ(read(ready[0], &told, 1), 1);
  EXPECT_TRUE(FileLock::is_locked(path));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(FileLock::is_locked(path));
}

TEST(FileLock, AFileThatCannotBeLockedIsASystemError) {
  EXPECT_THROW(FileLock(scratch_path("no/such/folder/lock")), SystemError);
  EXPECT_THROW(FileLock::try_lock(scratch_path("no/such/folder/lock")), SystemError);
}

}  // namespace
}  // namespace longrun
