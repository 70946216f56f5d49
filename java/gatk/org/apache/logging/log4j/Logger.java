package org.apache.logging.log4j;

/** Part of Log4j's interface. */
public interface Logger {
    void info(String message);
}
