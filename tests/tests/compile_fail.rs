//! What the types rule out does not compile, and the compiler says why.

#[test]
fn what_the_api_does_not_offer_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
