#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// Returns a path in a folder of this process, which is removed when the process ends. Tests can run in parallel.
inline std::string scratch_path(const std::string& name) {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) / ("longrun_test_" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
  };
  static const Folder folder;
  return (folder.path / name).string();
}

/// Writes a file with this text in the scratch folder, with missing folders, and returns its path.
inline std::string written(const std::string& name, const std::string& text) {
  std::string path = scratch_path(name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// Returns the content of a regular file; empty for anything else (/dev/full can be read without end).
inline std::string content(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
