"""The parts of the window that are no views of a tensor: tree, dock, file page, welcome, strips and bars."""
