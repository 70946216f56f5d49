package org.gklshim;

/** Prints each part, its line about a fallback, and the classes that it must know. */
public final class PartsChecks {
    private PartsChecks() {}

    public static void main(String[] arguments) {
        for (GatkPart part : GatkParts.ALL) {
            System.out.println(part.getClass().getPackage().getName());
            System.out.println(" " + String.join(" ", part.known()));
            part.warn("a reason: of two");
            part.fallBack("a reason: of two");
        }
        ReplacedClass.known().forEach(name -> System.out.println(" " + name));
        Log.info(Log.fallback("PairHMM", "Intel GKL", "a reason: of two"));
    }
}
