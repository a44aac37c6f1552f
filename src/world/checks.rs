//! What a starting state must satisfy.
