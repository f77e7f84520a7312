//! The notation says where it cannot be read, and comes back as it was.

use onsale_history::notation::{parse, print};

#[test]
fn what_is_printed_reads_back_the_same() {
    let (history, names) = parse(include_str!("everything.case")).unwrap();
    let text = print(&history, &names);
    let (again, names_again) = parse(&text).unwrap();
    assert_eq!(print(&again, &names_again), text);
    assert_eq!(again.operations, history.operations);
    assert_eq!(again.lines, history.lines);
    assert_eq!(again.marks, history.marks);
    assert_eq!(again.header, history.header);
    insta::assert_snapshot!("everything", text);
}

#[test]
fn mistakes_are_shown_at_their_line_and_column() {
    let sale = "sale A stock=1\n";
    for (line, expected) in [
        ("sale B stock=many", "2:8: `many` is not a number"),
        ("sale A stock=1", "2:8: this SKU was declared before"),
        ("facts ttl=60", "2:7: `60` is not a time like `20ms`"),
        ("facts colour=red", "2:7: there is no fact `colour`"),
        (
            "x0 0ms..1ms hold A -> ?",
            "2:1: expected `sale`, `facts`, `mark` or an operation that begins with its process, `p0`",
        ),
        ("p0 1ms hold A -> ?", "2:4: expected an interval like `2ms..8ms`"),
        ("p0 5ms..1ms hold A -> ?", "2:4: the interval ends before it begins"),
        ("p0 0ms..1ms hold C -> ?", "2:13: expected a SKU, `h0`, `o0`, `c0`, an attribute or `->`"),
        ("p0 0ms..1ms hold A", "2:19: expected `->`"),
        ("p0 0ms..1ms hold A ->", "2:20: expected an answer"),
        ("p0 0ms..1ms hold A -> hold x7", "2:28: expected `h` and a number, not `x7`"),
        ("p0 0ms..1ms hold A key=k -> ?", "2:20: expected `k` and a number, not `k`"),
        (
            "mark 5ms phase lunch",
            "2:16: expected a phase: setup, load, heal, resolve, quiesce, drain-1, quiesce-2, drain-2, final-reads, end",
        ),
    ] {
        let error = parse(&format!("{sale}{line}")).expect_err(line);
        assert_eq!(error.to_string(), expected, "{line}");
    }
}
