//! The commands of the embedded store, with Redis' semantics and error texts.

use super::keyspace::{Keyspace, Sorted, Value};
use super::reply::Reply;
use std::collections::{BTreeMap, BTreeSet};

type Args = [Vec<u8>];
type Answer = Result<Reply, CommandError>;

/// Why a command failed; the texts are Redis'.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the texts say it")]
pub enum CommandError {
    #[error("ERR unknown command '{0}'")]
    Unknown(String),
    #[error("ERR wrong number of arguments for '{0}' command")]
    Arguments(&'static str),
    #[error("WRONGTYPE Operation against a key holding the wrong kind of value")]
    WrongType,
    #[error("ERR value is not an integer or out of range")]
    NotInteger,
    #[error("ERR hash value is not an integer")]
    HashNotInteger,
    #[error("ERR value is not a valid float")]
    NotFloat,
    #[error("ERR min or max is not a float")]
    NotRange,
    #[error("ERR increment or decrement would overflow")]
    Overflow,
    #[error("ERR syntax error")]
    Syntax,
}

/// A command: its name, its arity as in Redis (negative: at least), which arguments are keys, what it does.
pub(super) struct Command {
    name: &'static str,
    arity: i32,
    many_keys: bool,
    run: fn(&mut Keyspace, &Args) -> Answer,
}

const COMMANDS: &[Command] = &[
    Command { name: "get", arity: 2, many_keys: false, run: get },
    Command { name: "set", arity: -3, many_keys: false, run: set },
    Command { name: "incrby", arity: 3, many_keys: false, run: |space, args| add(space, args, 1) },
    Command { name: "decrby", arity: 3, many_keys: false, run: |space, args| add(space, args, -1) },
    Command { name: "del", arity: -2, many_keys: true, run: del },
    Command { name: "exists", arity: -2, many_keys: true, run: exists },
    Command { name: "type", arity: 2, many_keys: false, run: kind },
    Command { name: "hget", arity: 3, many_keys: false, run: hget },
    Command { name: "hmget", arity: -3, many_keys: false, run: hmget },
    Command { name: "hset", arity: -4, many_keys: false, run: hset },
    Command { name: "hdel", arity: -3, many_keys: false, run: hdel },
    Command { name: "hexists", arity: 3, many_keys: false, run: hexists },
    Command { name: "hincrby", arity: 4, many_keys: false, run: hincrby },
    Command { name: "hlen", arity: 2, many_keys: false, run: hlen },
    Command { name: "hgetall", arity: 2, many_keys: false, run: hgetall },
    Command { name: "zadd", arity: -4, many_keys: false, run: zadd },
    Command { name: "zrem", arity: -3, many_keys: false, run: zrem },
    Command { name: "zscore", arity: 3, many_keys: false, run: zscore },
    Command { name: "zcard", arity: 2, many_keys: false, run: zcard },
    Command { name: "zrangebyscore", arity: -4, many_keys: false, run: zrangebyscore },
    Command { name: "sadd", arity: -3, many_keys: false, run: sadd },
    Command { name: "srem", arity: -3, many_keys: false, run: srem },
    Command { name: "sismember", arity: 3, many_keys: false, run: sismember },
    Command { name: "scard", arity: 2, many_keys: false, run: scard },
];

impl Command {
    /// The command that `args` begins with, if the number of arguments fits.
    pub(super) fn find(args: &Args) -> Result<&'static Self, CommandError> {
        let word = args
            .first()
            .map(|word| String::from_utf8_lossy(word).to_ascii_lowercase())
            .unwrap_or_default();
        let command = COMMANDS
            .iter()
            .find(|command| command.name == word)
            .ok_or(CommandError::Unknown(word))?;
        let count = i32::try_from(args.len()).unwrap_or(i32::MAX);
        let fits = if command.arity < 0 { count >= -command.arity } else { count == command.arity };
        if fits { Ok(command) } else { Err(CommandError::Arguments(command.name)) }
    }
    /// The arguments that are keys.
    pub(super) fn keys<'a>(&self, args: &'a Args) -> &'a Args {
        if self.many_keys { &args[1..] } else { &args[1..2] }
    }
    /// Does it.
    pub(super) fn run(&self, space: &mut Keyspace, args: &Args) -> Answer {
        let answer = (self.run)(space, &args[1..]);
        if space.keys.get(&args[1]).is_some_and(Value::is_empty) {
            space.keys.remove(&args[1]);
        }
        answer
    }
}

macro_rules! typed {
    ($look:ident, $make:ident, $variant:ident, $type:ty) => {
        fn $look<'a>(space: &'a Keyspace, key: &[u8]) -> Result<Option<&'a $type>, CommandError> {
            match space.keys.get(key) {
                None => Ok(None),
                Some(Value::$variant(value)) => Ok(Some(value)),
                Some(_) => Err(CommandError::WrongType),
            }
        }
        fn $make<'a>(space: &'a mut Keyspace, key: &[u8]) -> Result<&'a mut $type, CommandError> {
            match space
                .keys
                .entry(key.to_vec())
                .or_insert_with(|| Value::$variant(<$type>::default()))
            {
                Value::$variant(value) => Ok(value),
                _ => Err(CommandError::WrongType),
            }
        }
    };
}

typed!(text, text_mut, Text, Vec<u8>);
typed!(hash, hash_mut, Hash, BTreeMap<Vec<u8>, Vec<u8>>);
typed!(sorted, sorted_mut, Sorted, Sorted);
typed!(members, members_mut, Set, BTreeSet<Vec<u8>>);

fn integer(bytes: &[u8]) -> Option<i64> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

fn float(bytes: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(bytes).ok()?;
    match text.to_ascii_lowercase().as_str() {
        "-inf" => Some(f64::NEG_INFINITY),
        "+inf" | "inf" => Some(f64::INFINITY),
        text => text.parse().ok().filter(|value: &f64| !value.is_nan()),
    }
}

fn count(many: usize) -> Reply {
    Reply::Integer(i64::try_from(many).expect("collections fit into memory"))
}

fn flag(yes: bool) -> Reply {
    Reply::Integer(i64::from(yes))
}

fn bulk(bytes: Option<&Vec<u8>>) -> Reply {
    bytes.map_or(Reply::Nil, |bytes| Reply::Bulk(bytes.clone()))
}

fn get(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(bulk(text(space, &args[0])?))
}

fn set(space: &mut Keyspace, args: &Args) -> Answer {
    let only_new = match &args[2..] {
        [] => false,
        [option] if option.eq_ignore_ascii_case(b"nx") => true,
        _ => return Err(CommandError::Syntax),
    };
    if only_new && space.keys.contains_key(&args[0]) {
        return Ok(Reply::Nil);
    }
    space.keys.insert(args[0].clone(), Value::Text(args[1].clone()));
    Ok(Reply::Status("OK".into()))
}

fn add(space: &mut Keyspace, args: &Args, sign: i64) -> Answer {
    let by = integer(&args[1]).ok_or(CommandError::NotInteger)?;
    let before = text(space, &args[0])?
        .map_or(Some(0), |bytes| integer(bytes))
        .ok_or(CommandError::NotInteger)?;
    let after =
        by.checked_mul(sign).and_then(|by| before.checked_add(by)).ok_or(CommandError::Overflow)?;
    *text_mut(space, &args[0])? = after.to_string().into_bytes();
    Ok(Reply::Integer(after))
}

#[expect(clippy::unnecessary_wraps, reason = "commands have one type")]
fn del(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(count(args.iter().filter(|key| space.keys.remove(*key).is_some()).count()))
}

#[expect(clippy::unnecessary_wraps, reason = "commands have one type")]
fn exists(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(count(args.iter().filter(|key| space.keys.contains_key(*key)).count()))
}

#[expect(clippy::unnecessary_wraps, reason = "commands have one type")]
fn kind(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(Reply::Status(space.keys.get(&args[0]).map_or("none", Value::kind).into()))
}

fn hget(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(bulk(hash(space, &args[0])?.and_then(|fields| fields.get(&args[1]))))
}

fn hmget(space: &mut Keyspace, args: &Args) -> Answer {
    let fields = hash(space, &args[0])?;
    Ok(Reply::Array(
        args[1..].iter().map(|name| bulk(fields.and_then(|fields| fields.get(name)))).collect(),
    ))
}

fn hset(space: &mut Keyspace, args: &Args) -> Answer {
    let pairs = &args[1..];
    if !pairs.len().is_multiple_of(2) {
        return Err(CommandError::Arguments("hset"));
    }
    let fields = hash_mut(space, &args[0])?;
    let new = pairs
        .chunks(2)
        .filter(|pair| fields.insert(pair[0].clone(), pair[1].clone()).is_none())
        .count();
    Ok(count(new))
}

fn hdel(space: &mut Keyspace, args: &Args) -> Answer {
    let fields = hash_mut(space, &args[0])?;
    Ok(count(args[1..].iter().filter(|name| fields.remove(*name).is_some()).count()))
}

fn hexists(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(flag(hash(space, &args[0])?.is_some_and(|fields| fields.contains_key(&args[1]))))
}

fn hincrby(space: &mut Keyspace, args: &Args) -> Answer {
    let by = integer(&args[2]).ok_or(CommandError::NotInteger)?;
    let fields = hash_mut(space, &args[0])?;
    let before = fields
        .get(&args[1])
        .map_or(Some(0), |bytes| integer(bytes))
        .ok_or(CommandError::HashNotInteger)?;
    let after = before.checked_add(by).ok_or(CommandError::Overflow)?;
    fields.insert(args[1].clone(), after.to_string().into_bytes());
    Ok(Reply::Integer(after))
}

fn hlen(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(count(hash(space, &args[0])?.map_or(0, BTreeMap::len)))
}

fn hgetall(space: &mut Keyspace, args: &Args) -> Answer {
    let fields = hash(space, &args[0])?.into_iter().flatten();
    Ok(Reply::Array(
        fields
            .flat_map(|(name, value)| [Reply::Bulk(name.clone()), Reply::Bulk(value.clone())])
            .collect(),
    ))
}

fn zadd(space: &mut Keyspace, args: &Args) -> Answer {
    let pairs = &args[1..];
    if !pairs.len().is_multiple_of(2) {
        return Err(CommandError::Syntax);
    }
    let scores = pairs.chunks(2).map(|pair| float(&pair[0])).collect::<Option<Vec<_>>>();
    let scores = scores.ok_or(CommandError::NotFloat)?;
    let sorted = sorted_mut(space, &args[0])?;
    let new = pairs
        .chunks(2)
        .zip(scores)
        .filter(|(pair, score)| sorted.insert(pair[1].clone(), *score))
        .count();
    Ok(count(new))
}

fn zrem(space: &mut Keyspace, args: &Args) -> Answer {
    let sorted = sorted_mut(space, &args[0])?;
    Ok(count(args[1..].iter().filter(|member| sorted.remove(member)).count()))
}

fn zscore(space: &mut Keyspace, args: &Args) -> Answer {
    let score = sorted(space, &args[0])?.and_then(|sorted| sorted.score(&args[1]));
    Ok(score.map_or(Reply::Nil, |score| Reply::text(score.to_string())))
}

fn zcard(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(count(sorted(space, &args[0])?.map_or(0, Sorted::len)))
}

/// One end of a range: the score, and whether the score itself is out.
fn bound(bytes: &[u8]) -> Result<(f64, bool), CommandError> {
    let (bytes, open) = bytes.strip_prefix(b"(").map_or((bytes, false), |rest| (rest, true));
    Ok((float(bytes).ok_or(CommandError::NotRange)?, open))
}

fn zrangebyscore(space: &mut Keyspace, args: &Args) -> Answer {
    let ((low, above), (high, below)) = (bound(&args[1])?, bound(&args[2])?);
    let (skip, most) = match &args[3..] {
        [] => (0, usize::MAX),
        [word, skip, most] if word.eq_ignore_ascii_case(b"limit") => {
            let skip = integer(skip).ok_or(CommandError::NotInteger)?;
            let most = integer(most).ok_or(CommandError::NotInteger)?;
            (
                usize::try_from(skip).unwrap_or(usize::MAX),
                usize::try_from(most).unwrap_or(usize::MAX),
            )
        }
        _ => return Err(CommandError::Syntax),
    };
    let within = |score: f64| {
        (if above { score > low } else { score >= low })
            && (if below { score < high } else { score <= high })
    };
    let found = sorted(space, &args[0])?
        .into_iter()
        .flat_map(Sorted::iter)
        .filter(|(score, _)| within(*score));
    Ok(Reply::Array(
        found.skip(skip).take(most).map(|(_, member)| Reply::Bulk(member.clone())).collect(),
    ))
}

fn sadd(space: &mut Keyspace, args: &Args) -> Answer {
    let members = members_mut(space, &args[0])?;
    Ok(count(args[1..].iter().filter(|member| members.insert((*member).clone())).count()))
}

fn srem(space: &mut Keyspace, args: &Args) -> Answer {
    let members = members_mut(space, &args[0])?;
    Ok(count(args[1..].iter().filter(|member| members.remove(*member)).count()))
}

fn sismember(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(flag(members(space, &args[0])?.is_some_and(|members| members.contains(&args[1]))))
}

fn scard(space: &mut Keyspace, args: &Args) -> Answer {
    Ok(count(members(space, &args[0])?.map_or(0, BTreeSet::len)))
}
