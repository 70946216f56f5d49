package com.intel.gkl.compression;

import htsjdk.samtools.util.zip.InflaterFactory;

/** Part of Intel's class. */
public class IntelInflaterFactory extends InflaterFactory {}
