package org.broadinstitute.hellbender.utils.haplotype;

import htsjdk.variant.variantcontext.SimpleAllele;

/** Part of GATK's class. */
public class Haplotype extends SimpleAllele {}
