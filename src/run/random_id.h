#pragma once
#include <random>
#include <string>

namespace assay {

// An id as UUIDs of version 4 look.
std::string random_id(std::mt19937_64& random);

}  // namespace assay
