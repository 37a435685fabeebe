"""How packed whole numbers are read by rectangles, wherever they lie: the arithmetic below the schemes of integer codes."""
