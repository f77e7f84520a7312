//! A history as lines that people write and read: cases of rules, examples, witnesses.
//!
//! ```text
//! # Two buyers hold the last unit.
//! sale  A stock=1 ttl=60s
//! p0    0ms..5ms   hold A   -> hold h0
//! p1    2ms..8ms   hold A   -> hold h1
//! p2    9ms..10ms  stock    -> stock A total 1 available 0 held 1 confirmed 0
//! ```
//!
//! - `sale NAME stock=10 shards=4 role=hot|canary|seat waves=0s:5,3s:10` declares a SKU; `ttl=` and `grace=` may stand here too.
//! - `facts key=value …` sets facts of the sale: `opens ttl earliness grace clock-error release-lag` (times),
//!   `confirm=strict|reacquire`, `checkout=extends|does-not-extend`, `late-capture=refund|rehold`,
//!   `sold-out=exact|shard-local|stale:50ms`, `account-limit instrument-limit price` (numbers), `currency`,
//!   `queue=fifo|lottery rate=500 burst=50`, `required=rule,rule`, `sealed=no`.
//! - An operation is `process [buyer] start..end kind subject attributes -> answer`. Operations are numbered `op0`, `op1`, … in
//!   the order of the lines. The buyer is the process's number if it is not given. The subject of a hold is `A x2, B` (a
//!   quantity of 1 may be left out); of other calls `h0`, `o0`, `c0`. Attributes: `key=k0 instrument=i0 label=replay link=op0
//!   late=5ms`.
//! - An answer is `?` (it never came), `?error` (indeterminate, of that class), `sold-out` or another class (a definite
//!   refusal; `!ok` for classes that are not refusals by themselves), or a success: `ok`, `hold h0`, `order o0 charge c0`,
//!   `position 3`, `orders o1/h0 A x2 confirmed, o2 B refunded`, `stock A total 10 available 3 held 2 confirmed 5`. After any
//!   of them: `hold=h0 order=o0 charge=c0 state=expired value=3 status=201`.
//! - A mark is `mark 12ms …`: `phase quiesce` · `fault target-kill effective on=gateway` · `note TEXT` ·
//!   `charge c1 captured amount=8900 order=o1 hold=h0 buyer=b0 instrument=i0` · `refund r1 c1 succeeded amount=8900` ·
//!   `delivery d1 c1 succeeded genuine sent amount=8900 status=200`.
//!
//! Identifiers carry their dense number (`h7` is the hold with index 7). Names of SKUs, faults and what they are on stand for
//! themselves when they are plain words (letters, digits, `-_.:+@/`), else in the quotes of JSON: `sale "row 1, seat 2"
//! stock=1`. A SKU called `h7`, `o7`, `c7` or `x7` is quoted too. `#` begins a comment, outside of quotes.
//!
//! A mistake is shown at its line and column:
//!
//! ```
//! let mistake = onsale_history::notation::parse("sale A stock=1\np0 0ms..5ms hold B -> ?").unwrap_err();
//! assert_eq!(mistake.to_string(), "2:18: expected a SKU, `h0`, `o0`, `c0`, an attribute or `->`");
//! ```

mod facts;
mod marks;
mod parse;
mod print;
mod units;
mod words;

pub use parse::parse;
pub use print::{line, print};
pub use words::NotationError;
