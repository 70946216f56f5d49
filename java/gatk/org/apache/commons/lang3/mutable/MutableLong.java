package org.apache.commons.lang3.mutable;

/** Part of the class. */
public class MutableLong {
    public native void increment();
}
