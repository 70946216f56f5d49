package org.apache.commons.lang3.tuple;

/** Part of Apache Commons' class. */
public abstract class Pair<L, R> {
    public abstract L getLeft();

    public abstract R getRight();
}
