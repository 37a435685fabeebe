"""Float values to stored blocks: an encoder per type, following ggml's reference quantizers, for what-if questions."""
