// says: select: the condition must be a traced boolean; for a plain bool write ?:

auto broken(Table table, bool doubles) {
  return from<Row>(table).map([=](auto r) { return select(doubles, r.price * 2, r.price); });
}
