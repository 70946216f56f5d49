/**
 * Replaces classes of GATK's libraries with ours, and has some methods of GATK call ours.
 *
 * <ul>
 *   <li>{@link org.gklshim.ReplacedClass} is the table of the classes that we replace.
 *   <li>{@link org.gklshim.GatkPart} is a part of GATK's own code that calls ours. Each has a
 *       package below org.gklshim.gatk, with a class Part that lists the methods as
 *       {@link org.gklshim.RedirectedClass}es. {@link org.gklshim.ClassFile} makes the changes.
 *   <li>{@link org.gklshim.Agent} gives the JVM our class or the original, as
 *       {@link org.gklshim.LoaderDecisions} decides.
 *   <li>{@link org.gklshim.Algorithm} tests an algorithm before the first class uses it, and says
 *       in the log why it is not used. Each has a package, such as {@link org.gklshim.pairhmm},
 *       with its self-test and its native methods. PairHMM and PDHMM share
 *       {@link org.gklshim.hmm}.
 *   <li>{@link org.gklshim.NativeLibrary} extracts and loads the native library.
 * </ul>
 *
 * <p>Our classes have the names of the originals, such as com.intel.gkl.pairhmm.IntelPairHmm, and
 * GATK's class loaders define them. This package and its subpackages may be in another class
 * loader: the application's or, if GATK's loader does not delegate to it, the bootstrap loader.
 */
package org.gklshim;
