"""Statistics without a value decoded: codes counted under the scales that they share."""
