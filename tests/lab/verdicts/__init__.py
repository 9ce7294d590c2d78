"""Wrong output sizes of bare layers without any value: found, not verified, or verified although they are wrong."""
