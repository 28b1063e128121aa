// A picture of how the dims of the operands face each other.
#include "tools/picture.h"

#include <algorithm>

#include "tools/shape_text.h"
#include "tools/table.h"

namespace axiscast::tools {
namespace {

std::string Plural(const std::vector<int>& axes) {
  std::string text = axes.size() == 1 ? "axis " : "axes ";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == axes.size() ? " and " : ", ") + std::to_string(axes[i]);
  }
  return text;
}

// The dims along which an operand's elements are read again and again.
std::vector<int> StretchedDims(const PictureRow& row, const SymbolicShape& written) {
  std::vector<int> dims;
  for (int d = 0; d < written.rank(); ++d) {
    const bool has = d >= row.first && d - row.first < row.shape.rank();
    if (written[d] != 1 && (!has || row.shape[d - row.first] == 1)) dims.push_back(d);
  }
  return dims;
}

// A cell per dim; the last character of each is the mark of a stretched extent or a space.
std::vector<std::string> Cells(const PictureRow& row, const SymbolicShape& written, int columns) {
  std::vector<std::string> cells = {row.name};
  for (int d = 0; d < columns; ++d) {
    const int own = d - row.first;
    if (own < 0 || own >= row.shape.rank()) {
      cells.emplace_back(d < written.rank() ? ". " : "");
    } else {
      const bool stretched = d < written.rank() && row.shape[own] == 1 && written[d] != 1;
      cells.push_back(ExtentText(row.shape[own]) + (stretched ? "*" : " "));
    }
  }
  return cells;
}

}  // namespace

std::vector<int> FirstFacingDims(const std::vector<SymbolicShape>& shapes, const std::optional<Mode>& mode,
                                 const std::optional<std::int64_t>& axis) {
  int rank = 0;
  for (const SymbolicShape& shape : shapes) rank = std::max(rank, shape.rank());
  const bool takes_axis = mode ? kModes[static_cast<std::size_t>(*mode)].takes_axis : axis.has_value();
  std::vector<int> first;
  for (const SymbolicShape& shape : shapes) {
    const int trailing = rank - shape.rank();
    if (!takes_axis || !axis || trailing == 0) {
      first.push_back(trailing);
    } else {
      first.push_back(static_cast<int>(*axis >= 0 ? *axis : trailing + *axis + 1));
    }
  }
  return first;
}

std::string Picture(const std::vector<PictureRow>& operands, const std::vector<PictureRow>& results, const SymbolicShape& written) {
  int columns = written.rank();  // an operand's last 1s may hang over the result's end
  for (const PictureRow& row : operands) columns = std::max(columns, row.first + row.shape.rank());
  std::vector<std::vector<std::string>> rows = {{"axis"}};
  for (int d = 0; d < columns; ++d) rows[0].push_back(d < written.rank() ? std::to_string(d) + " " : "");
  for (const PictureRow& row : operands) rows.push_back(Cells(row, written, columns));
  for (const PictureRow& row : results) rows.push_back(Cells(row, row.shape, columns));
  std::string text = Table(rows, 1) + "\n";
  bool any = false;
  for (const PictureRow& row : operands) {
    const std::vector<int> dims = StretchedDims(row, written);
    any = any || !dims.empty();
    if (!dims.empty()) text += row.name + " is stretched along " + Plural(dims) + "\n";
    const int over = row.first + row.shape.rank() - written.rank();
    if (over > 0)
      text += "the last " + std::to_string(over) + " of " + row.name + "'s dims hang over the end: they are 1 and are dropped\n";
  }
  if (any) text += "(* an extent of 1 that is stretched; . no such dim, taken as 1)\n";
  const bool known = std::all_of(operands.begin(), operands.end(), [](const PictureRow& row) { return row.shape.known(); });
  if (!any) text += known && written.known() ? "nothing is stretched\n" : "nothing is stretched, as far as extents are known\n";
  return text;
}

}  // namespace axiscast::tools
