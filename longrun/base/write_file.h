#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace longrun {

/// The owner and the mode of a file.
struct FileAccess {
  uid_t user = 0;
  gid_t group = 0;
  mode_t mode = 0;  ///< as it is, whatever the umask
};

/// Writes `text` to the file as a whole or not at all, and creates missing folders. When it returns, the text is on
/// disk and survives a power failure. The file has the access that is given, from the moment it has its name; otherwise
/// that of every new file. Throws SystemError if the file cannot be written, or cannot be given to its owner.
void write_file(const std::string& path, std::string_view text, const std::optional<FileAccess>& access = std::nullopt);

/// Throws SystemError, which names the folder, if the folder of the file does not exist. For a file that a user names:
/// a missing folder may be a typo.
void check_folder_of(const std::string& path);

/// Creates the folder and its missing parents. Throws InputError if the path is a file, SystemError for any other
/// failure.
void make_folder(const std::string& path);

}  // namespace longrun
