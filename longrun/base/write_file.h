#pragma once

#include <string>
#include <string_view>

namespace longrun {

/// Writes `text` to the file as a whole or not at all, and creates missing folders. When it returns, the text is on
/// disk and survives a power failure. Throws SystemError if the file cannot be written.
void write_file(const std::string& path, std::string_view text);

/// Creates the folder and its missing parents. Throws InputError if the path is a file, SystemError for any other
/// failure.
void make_folder(const std::string& path);

}  // namespace longrun
