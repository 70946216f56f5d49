package org.broadinstitute.hellbender.tools.walkers.annotator;

import htsjdk.variant.variantcontext.Allele;
import htsjdk.variant.variantcontext.VariantContext;
import htsjdk.variant.vcf.VCFCompoundHeaderLine;
import htsjdk.variant.vcf.VCFHeaderLineType;
import htsjdk.variant.vcf.VCFInfoHeaderLine;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/** An annotation that is not GATK's, in the package where GATK looks for it: numbers the records. */
public final class CountingAnnotation implements InfoFieldAnnotation {
    private static final String KEY = "NUMBER";

    private int records;

    @Override
    public Map<String, Object> annotate(ReferenceContext reference, VariantContext variant,
            AlleleLikelihoods<GATKRead, Allele> likelihoods) {
        return Collections.singletonMap(KEY, String.valueOf(++records));
    }

    @Override
    public List<String> getKeyNames() {
        return Collections.singletonList(KEY);
    }

    @Override
    public List<VCFCompoundHeaderLine> getDescriptions() {
        return Collections.singletonList(
                new VCFInfoHeaderLine(KEY, 1, VCFHeaderLineType.Integer, "The record's number"));
    }
}
