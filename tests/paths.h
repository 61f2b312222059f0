#pragma once

#include <filesystem>
#include <string>

namespace longrun {

// Absolute paths are in paths.cpp alone, so that the objects of all other tests are the same in every clone, and clones
// can share a compiler cache.
extern const char* const kSourceFolder;  ///< the folder of the repository
extern const char* const kBinary;        ///< the program that the tests run

inline const std::filesystem::path kSource = kSourceFolder;

/// Returns the path of a file of the repository.
inline std::string in_source(const std::string& file) { return std::string(kSourceFolder) + "/" + file; }

}  // namespace longrun
