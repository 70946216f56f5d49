/**
 * Puts our classes in the place of classes of GATK's libraries.
 *
 * <ul>
 *   <li>{@link org.gklshim.ReplacedClass} is the table of the classes that we replace.
 *   <li>{@link org.gklshim.Agent} decides whether the JVM gets our class or the original.
 *   <li>{@link org.gklshim.Algorithm} tests an algorithm before the first class uses it, and says
 *       in the log why it is not used. Each has a package, such as {@link org.gklshim.pairhmm},
 *       with its self-test and its native methods.
 *   <li>{@link org.gklshim.NativeLibrary} extracts and loads the native library.
 *   <li>{@link org.gklshim.OriginalClasses} finds the original where our class stands in front of
 *       it on the class path and does not work.
 * </ul>
 *
 * <p>Our classes have the originals' names, such as com.intel.gkl.pairhmm.IntelPairHmm, and are
 * defined by GATK's class loaders. This package and those below it may be in another class loader:
 * the application's or, where GATK's does not ask that one, the bootstrap's.
 */
package org.gklshim;
