"""Rules as XPath 2.0 tests: read, checked, evaluated and printed."""
