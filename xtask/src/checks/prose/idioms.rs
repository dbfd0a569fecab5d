//! The habits of code.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMatch, Item, Local, Pat};

use super::{Habit, Hit};
use crate::process::Failure;

/// The habits in the code of a file.
pub(super) fn hits(text: &str) -> Result<Vec<Hit>, Failure> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { lines: text.lines().collect(), hits: Vec::new(), blocks: Vec::new() };
    for item in file.items.iter().filter(|item| !is_of_tests(item)) {
        finder.visit_item(item);
    }
    Ok(finder.hits)
}

/// Whether an item is a module of tests.
pub(crate) fn is_of_tests(item: &Item) -> bool {
    let Item::Mod(module) = item else { return false };
    module.attrs.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|argument| argument == "test")
    })
}

struct Finder<'a> {
    lines: Vec<&'a str>,
    hits: Vec<Hit>,
    /// The tokens of the blocks around the current statement, the innermost last.
    blocks: Vec<TokenStream>,
}

impl Finder<'_> {
    fn push(&mut self, habit: Habit, node: &impl Spanned) {
        let line = node.span().start().line;
        let text = self.lines.get(line.saturating_sub(1)).unwrap_or(&"");
        self.hits.push(Hit { habit, line, excerpt: text.trim().to_owned() });
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_block(&mut self, block: &'ast Block) {
        self.blocks.push(quote::ToTokens::to_token_stream(block));
        visit::visit_block(self, block);
        self.blocks.pop();
    }

    fn visit_local(&mut self, local: &'ast Local) {
        let value = local.init.as_ref().map(|init| init.expr.as_ref());
        match (&local.pat, value) {
            (Pat::Ident(name), Some(Expr::Closure(_))) => {
                let uses = self.blocks.last().map_or(0, |block| uses(block, &name.ident));
                // The definition is one of them.
                if uses == 2 {
                    self.push(Habit::Closure, local);
                }
            }
            (Pat::Tuple(_), Some(Expr::Tuple(_))) => self.push(Habit::PackedLet, local),
            _ => {}
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_match(&mut self, node: &'ast ExprMatch) {
        let is_bool = |pattern: &Pat| match pattern {
            Pat::Lit(literal) => matches!(literal.lit, syn::Lit::Bool(_)),
            _ => false,
        };
        if node.arms.iter().any(|arm| is_bool(&arm.pat)) {
            self.push(Habit::MatchBool, node);
        }
        visit::visit_expr_match(self, node);
    }
}

/// How often a name occurs in tokens.
fn uses(tokens: &TokenStream, name: &syn::Ident) -> usize {
    let count = |token: TokenTree| match token {
        TokenTree::Group(group) => uses(&group.stream(), name),
        TokenTree::Ident(ident) => usize::from(ident == *name),
        _ => 0,
    };
    tokens.clone().into_iter().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &[Habit]) {
        let hits = hits(&format!("fn f() {{ {body} }}")).expect("the sample is Rust");
        let found: Vec<_> = hits.iter().map(|hit| hit.habit).collect();
        assert!(found == expected, "{body:?} has {} hits", found.len());
    }

    #[test]
    fn a_closure_that_is_used_once_is_counted() {
        check("let is_it = |x| x > 1; a.filter(is_it)", &[Habit::Closure]);
        check("let is_it = |x| x > 1; a.filter(is_it).find(is_it)", &[]);
        check("a.filter(|x| x > 1)", &[]);
    }

    #[test]
    fn a_tuple_that_is_taken_apart_at_once_is_counted() {
        check("let (a, b) = (x, y);", &[Habit::PackedLet]);
        check("let (a, b) = pair();", &[]);
    }

    #[test]
    fn a_match_on_a_bool_is_counted() {
        check("match x { true => 1, false => 2 }", &[Habit::MatchBool]);
        check("match x { Some(true) => 1, _ => 2 }", &[]);
    }
}
