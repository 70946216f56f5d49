package org.broadinstitute.barclay.argparser;

/** Part of Barclay's interface. */
public interface CommandLineParser {}
