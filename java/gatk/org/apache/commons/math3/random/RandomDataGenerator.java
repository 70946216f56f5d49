package org.apache.commons.math3.random;

/** Part of the class of Apache Commons Math. */
public class RandomDataGenerator {}
