#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace longrun {

/// Opens a file for reading. Throws InputError if there is no such file or it is a folder; `kind` ("CSV file") says
/// what is expected. Throws SystemError, with the reason, if the file cannot be opened, such as for lack of permission.
std::ifstream open_file(const std::string& path, std::string_view kind);

/// Returns the content of a file. Throws as open_file() does, and SystemError if the file cannot be read.
std::string read_file(const std::string& path, std::string_view kind);

/// Throws the SystemError for a file that cannot be read; `reason` is a value of errno, or 0 if it is unknown.
[[noreturn]] void throw_unreadable(const std::string& path, int reason);

}  // namespace longrun
