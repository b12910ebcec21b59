//! What is no kind does not derive, and the compiler says why, once and where it is. `TRYBUILD=overwrite` writes the texts.

#[test]
fn what_is_no_kind_does_not_derive() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
