//! The committed schemas are those of the types. `BLESS=1` writes them anew.

use std::path::Path;

#[test]
fn committed_schemas_are_those_of_the_types() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    #[expect(clippy::disallowed_methods, reason = "a test is told by the one who runs it")]
    let bless = std::env::var("BLESS").is_ok();
    for (file, schema) in onsale_plan::schemas() {
        let path = root.join(file);
        if bless {
            std::fs::write(&path, &schema).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == schema,
            "{file} differs from the types: run the tests again with BLESS=1"
        );
    }
}
