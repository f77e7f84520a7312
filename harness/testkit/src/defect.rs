//! The bugs that the simulated shop can be told to have, each with the rules that may convict it.

macro_rules! defects {
    ($($(#[doc = $doc:literal])* $name:ident $word:literal => [$($rule:literal),*];)*) => {
        /// One bug of the simulated shop.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Defect { $($(#[doc = $doc])* $name,)* }

        impl Defect {
            /// Every defect.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
            /// Its name.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
            /// The rules of which at least one must speak for some seed, the most telling first.
            pub const fn convicted_by(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($rule),*],)* }
            }
        }
    };
}

defects! {
    /// Half of the holds are granted without a look at the stock.
    ReserveWithoutCheck "reserve-without-check" => ["overcommit"];
    /// One grant in four is not counted as taken.
    LostDecrement "lost-decrement" => ["overcommit"];
    /// The reaper does not run.
    ReaperStops "reaper-stops" => ["leaked-hold"];
    /// The reaper comes long after the grace.
    ReaperLate "reaper-late" => ["late-reclaim"];
    /// An expired unit is given back twice.
    DoubleReclaim "double-reclaim" => ["double-reclaim"];
    /// The reaper also takes back what was confirmed.
    ReclaimAfterConfirm "reclaim-after-confirm" => ["double-reclaim"];
    /// An expired hold can still be checked out and confirmed.
    ConfirmAfterExpiry "confirm-after-expiry" => ["late-confirm"];
    /// A cancelled hold can still be checked out and confirmed.
    ConfirmAfterCancel "confirm-after-cancel" => ["zombie-confirm"];
    /// Holds live a quarter of what was promised.
    EarlyExpiry "early-expiry" => ["early-expire"];
    /// Holds live a quarter of what was promised, and their units are sold again.
    EarlyReclaim "early-reclaim" => ["early-reclaim"];
    /// A cancelled hold's units do not come back.
    CancelKeepsStock "cancel-keeps-stock" => ["leaked-hold"];
    /// One acknowledged hold in four is forgotten.
    ForgottenHold "forgotten-hold" => ["lost-hold"];
    /// Only the shopper's own shard is asked before "sold out".
    NoRingFallback "no-ring-fallback" => ["spurious-sold-out"];
    /// One hold in four is refused as sold out whatever the stock.
    FalseSoldOut "false-sold-out" => ["spurious-sold-out"];
    /// A released unit becomes two.
    CancelDoubles "cancel-doubles" => ["double-reclaim"];
    /// Units come out of nowhere after the stock ran out.
    StockReappears "stock-reappears" => ["resurrected-stock"];
    /// Checking a hold out again makes a second order.
    DuplicateOrder "duplicate-order" => ["duplicate-order"];
    /// The list of orders shows orders that nobody made.
    PhantomOrders "phantom-orders" => ["phantom-order"];
    /// The list of orders leaves out some that were confirmed.
    OrderListLags "order-list-lags" => ["lost-order"];
    /// The idempotency key is ignored: every try is a new hold.
    KeyIgnored "key-ignored" => ["idempotency-split"];
    /// The same key with another body is accepted.
    KeyBodyUnchecked "key-body-unchecked" => ["idempotency-payload"];
    /// The limit is checked, then acted upon, in two steps.
    LimitCheckThenAct "limit-check-then-act" => ["limit-breach"];
    /// A quantity of zero or less is accepted.
    QuantityUnchecked "quantity-unchecked" => ["broken-conservation"];
    /// The stock reply adds the held units twice.
    StockMiscounted "stock-miscounted" => ["broken-conservation"];
    /// Holds are granted before the sale opens.
    OpensEarly "opens-early" => ["early-leak"];
    /// Money that arrives after the hold is gone is kept.
    LateMoneyKept "late-money-kept" => ["orphan-charge"];
    /// A refund is made twice.
    RefundTwice "refund-twice" => ["double-refund"];
    /// Money is refunded and the ticket issued too.
    RefundAndTicket "refund-and-ticket" => ["refund-and-ticket"];
    /// Checking a hold out again makes and captures another payment.
    TwoPayments "two-payments" => ["double-charge"];
    /// A checkout is confirmed before its payment is.
    ConfirmBeforePayment "confirm-before-payment" => ["free-ticket"];
    /// The amount of a payment is not compared with the order's.
    AmountUnchecked "amount-unchecked" => ["free-ticket"];
    /// The webhook's signature is not checked.
    UnsignedWebhook "unsigned-webhook" => ["forged-webhook"];
    /// The webhook's timestamp is not checked.
    StaleWebhook "stale-webhook" => ["forged-webhook"];
    /// A webhook that comes twice makes a second order.
    WebhookTwice "webhook-twice" => ["webhook-duplicate"];
    /// Who came last is admitted first.
    LifoBatch "lifo-batch" => ["overtake"];
    /// Admission forgets its pace and lets a crowd in at once.
    AdmissionBurst "admission-burst" => ["rate-breach"];
    /// A checkout token is accepted from anybody.
    TokenUnbound "token-unbound" => ["token-replayed"];
    /// A checkout token is accepted after its time.
    ExpiredTokenAccepted "expired-token-accepted" => ["token-expired"];
    /// A checkout token with a wrong signature is accepted.
    ForgedTokenAccepted "forged-token-accepted" => ["token-forged"];
    /// Holds are granted without a checkout token.
    UnguardedRoute "unguarded-route" => ["queue-bypass"];
    /// A puzzle's solution can be used again.
    PuzzleReusable "puzzle-reusable" => ["puzzle-bypass"];
    /// A puzzle's solution is not checked.
    PuzzleUnchecked "puzzle-unchecked" => ["puzzle-bypass"];
}

impl std::fmt::Display for Defect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}
