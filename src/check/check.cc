#include "check/check.h"

namespace assay {

Scope turn_scope(const Transcript& transcript, size_t index) {
  const Turn* turn = transcript.turns.data() + index;
  return {turn, turn + 1, turn->number};
}

Scope test_scope(const Transcript& transcript) {
  const Turn* first = transcript.turns.data();
  return {first, first + transcript.turns.size(), 0};
}

}  // namespace assay
