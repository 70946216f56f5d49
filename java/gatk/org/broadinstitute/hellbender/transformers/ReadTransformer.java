package org.broadinstitute.hellbender.transformers;

import java.util.function.UnaryOperator;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** Part of GATK's interface. */
public interface ReadTransformer extends UnaryOperator<GATKRead> {}
