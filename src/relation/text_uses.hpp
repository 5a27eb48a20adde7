// Tells which columns of texts are read as they are, and which by one function alone.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "penstock/relation.hpp"

namespace penstock::relation {

// A function of a column of texts and constants. Its column has no meaning to the comparison.
struct TextCall {
  const Graph* graph = nullptr;
  NodeId call = 0;
  std::uint32_t column = 0;  // of the graph's rows
  bool is_same(const TextCall& other) const;
};
// Returns the call that a node is; nullopt for other nodes, and for one that may fault.
std::optional<TextCall> text_call(const Graph& graph, NodeId node);

class TextUses {
 public:
  TextUses(const RelationGraph& relations, RelationId result);
  bool is_reached(RelationId id) const { return consumers_[id] > 0; }
  // Returns the only function that is read of a column, by joins or several readers above; nullopt
  // if the text is read, or another function.
  std::optional<TextCall> only_call(RelationId id, std::uint32_t column) const;

 private:
  struct Use {
    std::optional<TextCall> call = {};
    bool is_text = false;       // or several functions
    bool is_handed_on = false;  // through a join, or to several readers
  };
  void visit(RelationId id);
  void visit_join(RelationId id);
  // The input's columns are those of the graph from `first_column` on.
  void read(RelationId by, const Graph& graph, NodeId root, RelationId input,
            std::uint32_t first_column = 0);
  void pass(RelationId by, std::uint32_t column, RelationId input, std::uint32_t input_column);
  void add(Use& to, const Use& use) const;
  void read_texts(RelationId input);

  const RelationGraph& relations_;
  std::vector<std::uint32_t> consumers_;
  std::vector<bool> are_all_needed_;    // of each relation: groups read all of its rows
  std::vector<std::vector<Use>> uses_;  // by relation and column
};

}  // namespace penstock::relation
