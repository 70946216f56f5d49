package org.gklshim.gatk.tools;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Starts GATK sooner: finds its tools. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private Part() {
        super("finding tools", new Setting("tools"));
        redirect("org/broadinstitute/barclay/argparser/ClassFinder", "ToolSearch", "scanJar")
                .open("loader", "parentType");
    }

    @Override
    protected boolean isOfEveryTool() {
        return true;
    }
}
