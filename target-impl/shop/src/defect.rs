//! Bugs that the shop can be told to have, to see them convicted. Each is one `if` where it bites.

macro_rules! defects {
    ($($(#[doc = $doc:literal])* $name:ident $word:literal;)*) => {
        /// One bug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Defect { $($(#[doc = $doc])* $name,)* }

        impl Defect {
            /// Every defect.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
            /// Its name.
            pub const fn word(self) -> &'static str { match self { $(Self::$name => $word,)* } }
            /// What it does: its help page.
            pub const fn help(self) -> &'static str { match self { $(Self::$name => concat!($($doc, "\n",)*),)* } }
            /// By its name.
            pub fn from_word(word: &str) -> Option<Self> { Self::ALL.iter().copied().find(|d| d.word() == word) }
        }
    };
}

defects! {
    /// A hold is granted without a look at the stock, in the script and in the ledger.
    ReserveWithoutCheck "reserve-without-check";
    /// One grant in eight is not counted as taken.
    LostDecrement "lost-decrement";
    /// The reaper does not run.
    ReaperStops "reaper-stops";
    /// The reaper sleeps for long between rounds: units come back late.
    ReaperLate "reaper-late";
    /// Two reapers give the same expired unit back twice.
    DoubleReclaim "double-reclaim";
    /// The reaper also takes back what was confirmed.
    ReclaimAfterConfirm "reclaim-after-confirm";
    /// An expired hold can still be checked out and confirmed.
    ConfirmAfterExpiry "confirm-after-expiry";
    /// A cancelled hold can still be checked out and confirmed.
    ConfirmAfterCancel "confirm-after-cancel";
    /// Holds live a quarter of what was promised.
    EarlyExpiry "early-expiry";
    /// A cancelled hold's units do not come back.
    CancelKeepsStock "cancel-keeps-stock";
    /// One acknowledged hold in ten is forgotten.
    ForgottenHold "forgotten-hold";
    /// Only the shopper's own shard is asked before "sold out".
    NoRingFallback "no-ring-fallback";
    /// "Sold out" is remembered and not forgotten when units come back.
    SoldOutCached "sold-out-cached";
    /// A hold that falls back to another shard is taken from both counters' books but counted on neither.
    FallbackSellsTwice "fallback-sells-twice";
    /// A webhook that comes twice makes a second order.
    WebhookTwice "webhook-twice";
    /// The webhook's signature is not checked.
    UnsignedWebhook "unsigned-webhook";
    /// The webhook's timestamp is not checked.
    StaleWebhook "stale-webhook";
    /// The amount of a payment is not compared with the order's.
    AmountUnchecked "amount-unchecked";
    /// Money that arrives after the hold is gone is kept.
    LateMoneyKept "late-money-kept";
    /// A refund is made twice.
    RefundTwice "refund-twice";
    /// Late money is refunded and the ticket issued too.
    RefundAndTicket "refund-and-ticket";
    /// The idempotency key is ignored: every try is a new hold.
    KeyIgnored "key-ignored";
    /// The same key with another body is accepted.
    KeyBodyUnchecked "key-body-unchecked";
    /// The limit is checked, then acted upon, in two steps.
    LimitCheckThenAct "limit-check-then-act";
    /// A quantity of zero or less is accepted.
    QuantityUnchecked "quantity-unchecked";
    /// The list of orders leaves out some that were confirmed.
    OrderListLags "order-list-lags";
    /// The list of orders shows orders that nobody made.
    PhantomOrders "phantom-orders";
    /// Each checkout of a hold makes and captures another payment.
    TwoPayments "two-payments";
    /// Shoppers are admitted and holds granted before the sale opens.
    OpensEarly "opens-early";
    /// A checkout is confirmed before its payment is.
    ConfirmBeforePayment "confirm-before-payment";
    /// The stock reply adds the held units twice.
    StockMiscounted "stock-miscounted";
    /// Admission forgets its pace and lets a crowd in at once.
    AdmissionBurst "admission-burst";
    /// Within a batch, who came last is admitted first.
    LifoBatch "lifo-batch";
    /// A checkout token is accepted from anybody.
    TokenUnbound "token-unbound";
    /// A checkout token is accepted after its time.
    ExpiredTokenAccepted "expired-token-accepted";
    /// A checkout token under `alg: none` or with a wrong signature is accepted.
    ForgedTokenAccepted "forged-token-accepted";
    /// Holds are granted without a checkout token.
    UnguardedRoute "unguarded-route";
    /// A puzzle's solution can be used again.
    PuzzleReusable "puzzle-reusable";
    /// A puzzle's solution is not checked.
    PuzzleUnchecked "puzzle-unchecked";
}

/// The bugs that a process has; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defects(Vec<Defect>);

impl Defects {
    /// From a comma-separated list.
    ///
    /// # Errors
    /// The first name that no defect has.
    pub fn parse(list: &str) -> Result<Self, String> {
        let words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
        words
            .map(|word| Defect::from_word(word).ok_or_else(|| word.to_owned()))
            .collect::<Result<_, _>>()
            .map(Self)
    }
    /// Is it one of them?
    pub fn has(&self, defect: Defect) -> bool {
        self.0.contains(&defect)
    }
}
