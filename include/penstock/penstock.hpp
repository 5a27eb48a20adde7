// All of Penstock: devices, columns and tables, plans, the C++ front door, files, compressed files
// and SQL. A program that links only the core component may include it too; open_table,
// write_table, the functions of stream, video and sql, and Session then have no definition.
#pragma once
#include "penstock/arrow_c.hpp"
#include "penstock/column.hpp"
#include "penstock/detail/trace.hpp"
#include "penstock/device.hpp"
#include "penstock/expression.hpp"
#include "penstock/io.hpp"
#include "penstock/plan.hpp"
#include "penstock/query.hpp"
#include "penstock/session.hpp"
#include "penstock/sql.hpp"
#include "penstock/status.hpp"
#include "penstock/stream.hpp"
#include "penstock/video.hpp"
