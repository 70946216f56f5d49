package org.gklshim.gatk.likelihoods;

import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;

/** A map of haplotypes to numbers. It finds objects that were put without hashing their bases. */
final class HaplotypeNumbers extends LinkedHashMap<Haplotype, Integer> {
    private static final long serialVersionUID = 1;

    private final transient Map<Object, Integer> objects = new IdentityHashMap<>();

    @Override
    public Integer put(Haplotype haplotype, Integer number) {
        Integer earlier = super.put(haplotype, number);
        if (earlier == null) {
            objects.put(haplotype, number);
        } else {
            // An equal haplotype has got a new number.
            objects.clear();
        }
        return earlier;
    }

    @Override
    public Integer get(Object haplotype) {
        Integer number = objects.get(haplotype);
        return number == null ? super.get(haplotype) : number;
    }

    @Override
    public void clear() {
        super.clear();
        objects.clear();
    }
}
