"""One block of a tensor taken apart, beside what all blocks of the tensor are like."""
