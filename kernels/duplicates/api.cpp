// Duplicates' part of the C ABI.
#include "common/error.h"
#include "duplicates/batch.h"

extern "C" {

gkl_shim_status gkl_shim_duplicates_read_ends(const gkl_shim_duplicates_records *records,
                                              const gkl_shim_duplicates_header *header,
                                              const gkl_shim_duplicates_texts *texts, int32_t from,
                                              int64_t *rows, gkl_shim_duplicates_stop *stop) {
    return gkl_shim::guarded([&] {
        gkl_shim::duplicates::read_ends(*records, *header, *texts, from, rows, stop);
        return GKL_SHIM_OK;
    });
}

gkl_shim_status gkl_shim_duplicates_mark(const gkl_shim_duplicates_records *records,
                                         const gkl_shim_duplicates_header *header,
                                         const gkl_shim_duplicates_texts *texts,
                                         const gkl_shim_duplicates_marks *marks, int32_t from,
                                         gkl_shim_duplicates_output *output,
                                         gkl_shim_duplicates_stop *stop) {
    return gkl_shim::guarded([&] {
        gkl_shim::duplicates::mark(*records, *header, *texts, *marks, from, *output, stop);
        return GKL_SHIM_OK;
    });
}

}  // extern "C"
