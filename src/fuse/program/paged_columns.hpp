// Chooses the tile programs that read pages, rather than columns that the host has decoded.
#pragma once
#include <string>

#include "codec/pages/device/page_needs.hpp"
#include "codec/pages/paged_table.hpp"
#include "fuse/program/tile_program.hpp"
#include "penstock/run_options.hpp"

namespace penstock::plan {

// Says why kernels cannot read a program's columns out of the table's pages, a clause that names
// the column: "column 'note' is nested". Empty: they can.
std::string why_not_paged(const TileProgram& program, const pages::PagedTable& table);

// Makes a program read pages; why_not_paged() must be empty for it.
void read_pages(TileProgram& program, const pages::PagedTable& table);

// Returns what the pages that a program reads need of a decoder.
pages::PageNeeds compressions_of(const TileProgram& program, const pages::PagedTable& table);

// Decides who decodes a source's pages, or light encodings. If the device does, makes the program
// read them. Returns a note if the host does although the device could have: why. Empty: nothing to
// say. Code::unsupported if the options ask for the device and it cannot.
Result<std::string> choose_page_decoding(TileProgram& program, const TableSource& source,
                                         PageDecoding asked, const Traits& traits);

}  // namespace penstock::plan
