// Where the time of a batch goes on a device.
#pragma once

#include <stdint.h>

#include "gkl_shim_internal.h"
#include "gpu/devices.h"

namespace gkl_shim {
namespace pairhmm {

// Times the stages of each chunk of a batch on a device, as gkl_shim_pairhmm_cuda_measure() says.
// `results` receives the results of the first pass.
gkl_shim_status time_stages(gpu::Device *device, const gkl_shim_pairhmm_cuda_options &options,
                            const gkl_shim_pairhmm_batch &batch, double *results, int repeats,
                            gkl_shim_pairhmm_cuda_stages *stages);

}  // namespace pairhmm
}  // namespace gkl_shim
