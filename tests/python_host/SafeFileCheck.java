package org.gklshim;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.AccessDeniedException;
import java.nio.file.Paths;

/** Says of each path on standard input whether SafeFile accepts it: 1, or 0 and the reason. */
public final class SafeFileCheck {
    private SafeFileCheck() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader paths = new BufferedReader(new InputStreamReader(System.in));
        for (String path; (path = paths.readLine()) != null; ) {
            try {
                SafeFile.require(Paths.get(path));
                System.out.println("1");
            } catch (AccessDeniedException e) {
                System.out.println("0" + e.getMessage());
            }
        }
    }
}
