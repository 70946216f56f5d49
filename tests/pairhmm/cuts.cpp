// Reads regions, each a line of haplotypes separated by spaces, and prints the cut of each.
#include "hmm/pairhmm/cuts.h"

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using gkl_shim::pairhmm::Cutter;
using gkl_shim::pairhmm::Haplotype;

int main() {
    Cutter cutter;  // for all regions, as in the engines
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::vector<std::string> sequences;
        for (std::string word; words >> word;) sequences.push_back(word);
        std::vector<Haplotype> haplotypes;
        for (const std::string &letters : sequences)
            haplotypes.emplace_back(reinterpret_cast<const uint8_t *>(letters.data()),
                                    int64_t(letters.size()));
        cutter.choose(haplotypes.data(), int64_t(haplotypes.size()));
        for (const Haplotype &haplotype : haplotypes) std::cout << haplotype.cut << ' ';
        std::cout << '\n';
    }
}
