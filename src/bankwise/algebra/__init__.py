"""Maps: linear layouts over F2, address maps, and the small language of expressions."""
