import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles stubs of the classes in lists:
 * java Stubs.java LIST.txt ... [options of javac] [FILE.java ...]
 *
 * <p>classes.txt explains a list. A class may be in several, each with other members. A stub has no
 * code: its methods are native, and its constructors are empty.
 */
public final class Stubs {
    private static final Pattern NAME = Pattern.compile("\\b(class|interface|enum) (\\w+)");
    private static final Pattern SUPERCLASS = Pattern.compile("\\bclass .*\\bextends (\\w+)");
    private static final Pattern VISIBLE = Pattern.compile("\\b(public|protected)\\b");
    private static final Pattern WORD = Pattern.compile("(?<![\\w.])[A-Z]\\w*");

    private final List<String> imports = new ArrayList<>();
    private final List<Stub> stubs = new ArrayList<>();
    private final Map<String, List<String>> packagesOf = new HashMap<>();  // by a class's name
    private final Map<String, String> constructors = new HashMap<>();  // one of each class

    /** A class with all lines of the list that follow it, and are further to the right. */
    private static final class Stub {
        final String packageName, name;
        final List<String> lines = new ArrayList<>();

        Stub(String packageName, String line) {
            this.packageName = packageName;
            name = nameIn(line);
            lines.add(line);
        }
    }

    public static void main(String[] args) throws Exception {
        Stubs list = new Stubs();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        List<JavaFileObject> sources = new ArrayList<>();
        List<String> options = new ArrayList<>();
        for (String arg : args) {
            if (arg.endsWith(".txt"))
                list.read(Files.readAllLines(Paths.get(arg)));
            else if (arg.endsWith(".java"))
                files.getJavaFileObjects(arg).forEach(sources::add);
            else
                options.add(arg);
        }
        for (Stub stub : list.stubs) sources.add(list.source(stub));
        if (!compiler.getTask(null, files, null, options, null, sources).call()) System.exit(1);
    }

    private void read(List<String> lines) {
        String packageName = null;
        Stub stub = null;
        for (String line : lines) {
            line = line.replaceFirst("\\s*#.*", "");
            if (line.isEmpty()) continue;
            if (line.startsWith("import ")) {
                imports.add(line + ";");
            } else if (line.startsWith("package ")) {
                packageName = line;
            } else if (line.startsWith(" ")) {
                stub.lines.add(line);
                if (line.startsWith("    " + stub.name + "(")) constructors.put(stub.name, line);
            } else {
                stub = stub(packageName, line);
            }
        }
    }

    /** Returns the stub of a class, which an earlier list may have begun. */
    private Stub stub(String packageName, String line) {
        for (Stub stub : stubs)
            if (stub.packageName.equals(packageName) && stub.name.equals(nameIn(line))) return stub;
        Stub made = new Stub(packageName, line);
        stubs.add(made);
        packagesOf.computeIfAbsent(made.name, name -> new ArrayList<>()).add(packageName);
        return made;
    }

    private static String nameIn(String line) {
        Matcher match = NAME.matcher(line);
        return match.find() ? match.group(2) : null;
    }

    private JavaFileObject source(Stub stub) {
        StringBuilder text = new StringBuilder(stub.packageName + ";\n");
        for (String line : imports) text.append(line).append('\n');
        text.append(importsOf(stub));
        Deque<String> open = new ArrayDeque<>();  // declarations of classes, the innermost first
        for (String line : stub.lines) {
            int depth = line.indexOf(line.trim()) / 4;
            for (; open.size() > depth; open.pop()) text.append("}\n");
            if (NAME.matcher(line).find()) {
                text.append(visible(line).replaceFirst(" ?\\}$", "")).append(
                        line.contains("enum ") ? ";\n" : " {\n");
                open.push(line);
            } else {
                text.append(member(line.trim(), open.peek())).append('\n');
            }
        }
        for (String line : open) text.append("}\n");
        String path = stub.packageName.replaceFirst("package ", "").replace('.', '/');
        URI uri = URI.create("list:///" + path + "/" + stub.name + ".java");
        return new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    /** Returns imports of the list's classes that a stub names and that are in other packages. */
    private String importsOf(Stub stub) {
        TreeSet<String> found = new TreeSet<>();
        Matcher match = WORD.matcher(String.join("\n", stub.lines));
        while (match.find()) {
            List<String> packages = packagesOf.getOrDefault(match.group(), List.of());
            if (packages.isEmpty() || packages.contains(stub.packageName)) continue;
            if (packages.size() > 1)
                throw new IllegalStateException(match.group() + " is in " + packages
                        + ": write its package in " + stub.name);
            found.add(packages.get(0).replace("package", "import") + "." + match.group() + ";\n");
        }
        return String.join("", found);
    }

    private static String visible(String line) {
        return VISIBLE.matcher(line).find() ? line : "public " + line.trim();
    }

    private String member(String line, String owner) {
        String text = visible(line);
        int parameters = line.indexOf('(');
        if (parameters < 0 || line.indexOf('=') >= 0) return text + ";";
        text = withNames(text);
        String before = line.substring(0, parameters);
        if (before.replaceFirst("^(protected|private) ", "").equals(nameIn(owner)))
            return text + " { " + superCall(owner) + "}";
        if (line.startsWith("default ") || owner.contains("interface ") && line.contains("static "))
            return text + " { throw new Error(); }";
        if (owner.contains("interface ") || line.contains("abstract ")) return text + ";";
        return "native " + text + ";";
    }

    /** Returns the call of a constructor that is in the list, for a superclass that is there. */
    private String superCall(String declaration) {
        Matcher match = SUPERCLASS.matcher(declaration);
        String constructor = match.find() ? constructors.get(match.group(1)) : null;
        if (constructor == null) return "";
        List<String> arguments = new ArrayList<>();
        for (String type : parameters(constructor)) arguments.add("(" + type + ") null");
        return "super(" + String.join(", ", arguments) + "); ";
    }

    /** Returns a method's declaration with names for its parameters. */
    private static String withNames(String method) {
        List<String> named = new ArrayList<>();
        for (String type : parameters(method)) named.add(type + " p" + named.size());
        return method.substring(0, method.indexOf('(') + 1) + String.join(", ", named)
                + method.substring(method.lastIndexOf(')'));
    }

    /** Returns the types between parentheses. Commas in <> do not separate them. */
    private static List<String> parameters(String method) {
        List<String> types = new ArrayList<>();
        String list = method.substring(method.indexOf('(') + 1, method.lastIndexOf(')'));
        int depth = 0, start = 0;
        for (int k = 0; k < list.length(); k++) {
            char c = list.charAt(k);
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (c != ',' || depth > 0) continue;
            types.add(list.substring(start, k).trim());
            start = k + 1;
        }
        if (!list.isEmpty()) types.add(list.substring(start).trim());
        return types;
    }
}
