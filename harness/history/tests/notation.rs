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
        ("sale B stock=many", "2:14: `many` is not a number"),
        ("sale A stock=1", "2:6: this SKU was declared before"),
        ("facts ttl=60", "2:11: `60` is not a time like `20ms`"),
        ("facts colour=red", "2:7: there is no fact `colour`"),
        (
            "x0 0ms..1ms hold A -> ?",
            "2:1: expected `sale`, `facts`, `mark` or an operation that begins with its process, `p0`",
        ),
        ("p0 1ms hold A -> ?", "2:4: expected an interval like `2ms..8ms`"),
        ("p0 5ms..1ms hold A -> ?", "2:4: the interval ends before it begins"),
        ("p0 0ms..1ms hold C -> ?", "2:18: expected a SKU, `h0`, `o0`, `c0`, an attribute or `->`"),
        ("p0 0ms..1ms hold A", "2:19: expected `->`"),
        ("p0 0ms..1ms hold A ->", "2:22: expected an answer"),
        ("p0 0ms..? hold A -> hold h0", "2:4: what was answered has an end"),
        (
            "p0 0ms..1ms hold A -> grant h0",
            "2:23: expected a class, `hold`, `order`, `charge`, `position`, `orders` or `stock`",
        ),
        ("p0 0ms..1ms hold A x2x -> ?", "2:21: `2x` is not a number"),
        (
            "p0 0ms..1ms pay c0 -> ok now",
            "2:26: expected a class, `hold`, `order`, `charge`, `position`, `orders` or `stock`",
        ),
        (
            "p0 0ms..1ms hold A key=k99999999 -> ?",
            "2:24: so large a number would leave too many unused",
        ),
        ("mark 5ms fault \"cut", "2:16: a name in quotes is written like a string of JSON"),
        ("facts checkout=maybe", "2:16: expected extends or does-not-extend"),
        ("facts rate=NaN", "2:12: `NaN` is not a rate"),
        ("p0 0ms..1ms hold A -> hold x7", "2:28: expected `h` and a number, not `x7`"),
        ("p0 0ms..1ms hold A key=k -> ?", "2:24: expected `k` and a number, not `k`"),
        (
            "mark 5ms phase lunch",
            "2:16: expected a phase: setup, load, heal, resolve, quiesce, drain-1, quiesce-2, drain-2, final-reads, end",
        ),
    ] {
        let error = parse(&format!("{sale}{line}")).expect_err(line);
        assert_eq!(error.to_string(), expected, "{line}");
    }
}

#[test]
fn names_that_are_no_plain_words_are_quoted() {
    let text = r#"sale "row 1, seat #2" stock=1   # a comment
sale "h0" stock=1
p0 0ms..5ms hold "row 1, seat #2", "h0" x2 -> hold h0
p0 6ms..7ms release h0 -> ok
mark 1ms note issue "\u0023"3
mark 2ms fault "cut = on" requested on="A & B"
"#;
    let (history, names) = parse(text).unwrap();
    assert_eq!(history.header.sale.skus[0].name, "row 1, seat #2");
    let items: Vec<(usize, u32)> = history
        .items_of(&history.operations[0])
        .map(|(sku, quantity)| (sku.index(), quantity))
        .collect();
    assert_eq!(items, [(0, 1), (1, 2)]);
    assert_eq!(history.operations[1].call.hold, history.operations[0].answer.hold);
    let (again, _) = parse(&print(&history, &names)).unwrap();
    assert_eq!((again.operations, again.marks), (history.operations, history.marks));
}
