"""How codes lie in bytes: types of less than a byte, words unpacked, rows and bands of companions as they are stored."""
