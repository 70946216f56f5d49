// Makes views of an array, with functions of NumPy and Python that the Python package passes in. So
// the build needs none of their headers. The interface is in gkl_shim_internal.h.
#include "gkl_shim_internal.h"

namespace {

// NumPy's flags for a C-contiguous, writable array.
constexpr int kContiguous = 0x1, kAligned = 0x100, kWriteable = 0x400;

}  // namespace

extern "C" int64_t gkl_shim_array_views(const gkl_shim_numpy *numpy, void *array, void *data,
                                        void *dtype, int64_t item_bytes,
                                        const int64_t *region_reads,
                                        const int64_t *region_haplotypes, int64_t regions,
                                        void *views) {
    char *next = static_cast<char *>(data);
    for (int64_t g = 0; g < regions; g++) {
        const intptr_t shape[] = {intptr_t(region_reads[g + 1] - region_reads[g]),
                                  intptr_t(region_haplotypes[g + 1] - region_haplotypes[g])};
        // NumPy and the list take over these references: to the type, to the array, to the view.
        numpy->Py_IncRef(dtype);
        void *const view =
            numpy->PyArray_NewFromDescr(numpy->PyArray_Type, dtype, 2, shape, nullptr, next,
                                        kContiguous | kAligned | kWriteable, nullptr);
        if (!view) return -1;
        numpy->Py_IncRef(array);
        if (numpy->PyArray_SetBaseObject(view, array) < 0) {
            numpy->Py_DecRef(view);
            return -1;
        }
        if (numpy->PyList_SetItem(views, g, view) < 0) return -1;
        next += shape[0] * shape[1] * item_bytes;
    }
    return next - static_cast<char *>(data);
}
