package org.gklshim.gatk.regions;

import org.gklshim.gatk.Members;

/** The arguments of a tool, by the names of GATK's fields, such as "assemblerArgs.graphOutput". */
final class Arguments {
    /** GATK's object. */
    final Object fields;

    Arguments(Object fields) {
        this.fields = fields;
    }

    /**
     * Returns an argument.
     *
     * @throws IllegalStateException if this version of GATK has no such argument
     */
    Object get(String path) {
        return Members.get(fields, path);
    }

    /**
     * Returns whether this version of GATK has an argument, and it is not null, false or the
     * constant NONE.
     */
    boolean isSet(String path) {
        Object value = Members.get(fields, path, null);
        return value != null && !value.equals(false)
                && !(value instanceof Enum && ((Enum<?>) value).name().equals("NONE"));
    }
}
