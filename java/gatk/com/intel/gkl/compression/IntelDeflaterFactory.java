package com.intel.gkl.compression;

import htsjdk.samtools.util.zip.DeflaterFactory;

/** Part of Intel's class. */
public class IntelDeflaterFactory extends DeflaterFactory {}
