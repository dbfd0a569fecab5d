//! The estimate of tokens.

use prowess_core::{EstimatedTokens, TokenCounter};

#[test]
fn four_characters_are_a_token_rounded_up() {
    let count = |characters: usize| EstimatedTokens.count(&"x".repeat(characters));
    let cases = [(0, 0), (1, 1), (4, 1), (5, 2), (20_000, 5_000), (20_001, 5_001)];
    for (characters, tokens) in cases {
        assert_eq!(count(characters), tokens, "{characters} characters");
    }
    assert_eq!(EstimatedTokens.count("éééé"), 1, "characters count, not bytes");
    assert!(!EstimatedTokens.is_exact());
}
