#pragma once

#include <functional>
#include <string>

namespace longrun {

/// Throws InputError unless the file's name ends in .svg, .pdf or .png.
void check_picture_kind(const std::string& path);
/// Does the same, and throws SystemError if the file's folder does not exist.
void check_picture_path(const std::string& path);

/// Draws a picture into this file with gnuplot. `write(name, directory)` writes the script DIR/NAME.gp and its data.
/// Throws InputError if gnuplot is not installed, and SystemError if the file or a temporary folder cannot be written.
void draw_picture(const std::string& path,
                  const std::function<void(const std::string& name, const std::string& directory)>& write);

}  // namespace longrun
