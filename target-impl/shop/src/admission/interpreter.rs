//! Lua 5.1 as Redis runs it: `redis.call`, `KEYS`, `ARGV`, no globals, only declared keys, one slot.

use super::commands::Command;
use super::keyspace::Keyspace;
use super::reply::Reply;
use super::slot::slot;
use mlua::{Function, Lua, LuaOptions, MultiValue, StdLib, Table, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// One interpreter with its keyspace; lives on one thread.
pub(super) struct Interpreter {
    lua: Lua,
    state: Rc<RefCell<State>>,
    compiled: BTreeMap<&'static str, Function>,
}

#[derive(Default)]
struct State {
    space: Keyspace,
    declared: Vec<Vec<u8>>,
}

impl Interpreter {
    pub(super) fn new() -> mlua::Result<Self> {
        let lua =
            Lua::new_with(StdLib::STRING | StdLib::TABLE | StdLib::MATH, LuaOptions::default())?;
        let state = Rc::new(RefCell::new(State::default()));
        let redis = lua.create_table()?;
        redis.set("call", call(&lua, &state, true)?)?;
        redis.set("pcall", call(&lua, &state, false)?)?;
        redis.set("error_reply", reply_table(&lua, "err")?)?;
        redis.set("status_reply", reply_table(&lua, "ok")?)?;
        let globals = lua.globals();
        globals.set("redis", redis)?;
        globals.set("KEYS", lua.create_table()?)?;
        globals.set("ARGV", lua.create_table()?)?;
        forbid_globals(&lua, &globals)?;
        Ok(Self { lua, state, compiled: BTreeMap::new() })
    }

    /// Runs a script; its effects are all there when it returns, also those before an error, as in Redis.
    pub(super) fn run(&mut self, source: &'static str, keys: &[String], args: &[String]) -> Reply {
        let mut slots = keys.iter().map(|key| slot(key.as_bytes()));
        if let Some(first) = slots.next()
            && slots.any(|other| other != first)
        {
            return Reply::Error("CROSSSLOT Keys in request don't hash to the same slot".into());
        }
        self.state.borrow_mut().declared =
            keys.iter().map(|key| key.clone().into_bytes()).collect();
        self.evaluate(source, keys, args).unwrap_or_else(|error| Reply::Error(first_line(&error)))
    }

    fn evaluate(
        &mut self,
        source: &'static str,
        keys: &[String],
        args: &[String],
    ) -> mlua::Result<Reply> {
        let function = if let Some(function) = self.compiled.get(source) {
            function.clone()
        } else {
            let function = self.lua.load(source).into_function()?;
            self.compiled.insert(source, function.clone());
            function
        };
        let globals = self.lua.globals();
        globals.raw_set("KEYS", self.lua.create_sequence_from(keys.iter().map(String::as_str))?)?;
        globals.raw_set("ARGV", self.lua.create_sequence_from(args.iter().map(String::as_str))?)?;
        from_lua(&function.call::<Value>(())?)
    }
}

/// The text of an error without Lua's traceback.
fn first_line(error: &mlua::Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("runtime error: ").unwrap_or(&text);
    text.lines().next().unwrap_or_default().to_owned()
}

/// A script that names a new global is mistaken; Redis says so too.
fn forbid_globals(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    let meta = lua.create_table()?;
    let refuse =
        lua.create_function(|_, (_, name, _): (Value, String, Value)| -> mlua::Result<()> {
            Err(mlua::Error::runtime(format!(
                "ERR Attempt to modify a readonly table: global variable '{name}'"
            )))
        })?;
    let missing = lua.create_function(|_, (_, name): (Value, String)| -> mlua::Result<()> {
        Err(mlua::Error::runtime(format!(
            "ERR Script attempted to access nonexistent global variable '{name}'"
        )))
    })?;
    meta.set("__newindex", refuse)?;
    meta.set("__index", missing)?;
    globals.set_metatable(Some(meta))
}

/// `redis.error_reply` and `redis.status_reply`.
fn reply_table(lua: &Lua, field: &'static str) -> mlua::Result<Function> {
    lua.create_function(move |lua, text: String| {
        let table = lua.create_table()?;
        table.set(field, text)?;
        Ok(table)
    })
}

/// `redis.call` (errors are raised) and `redis.pcall` (errors are returned).
fn call(lua: &Lua, state: &Rc<RefCell<State>>, raises: bool) -> mlua::Result<Function> {
    let state = Rc::clone(state);
    lua.create_function(move |lua, values: MultiValue| {
        let args = values.iter().map(argument).collect::<mlua::Result<Vec<_>>>()?;
        match command(&mut state.borrow_mut(), &args) {
            Ok(reply) => to_lua(lua, &reply),
            Err(message) if raises => Err(mlua::Error::runtime(message)),
            Err(message) => to_lua(lua, &Reply::Error(message)),
        }
    })
}

fn command(state: &mut State, args: &[Vec<u8>]) -> Result<Reply, String> {
    let command = Command::find(args).map_err(|error| error.to_string())?;
    let undeclared = command.keys(args).iter().find(|key| !state.declared.contains(key));
    if let Some(key) = undeclared {
        let key = String::from_utf8_lossy(key);
        return Err(format!("ERR Script attempted to access the undeclared key '{key}'"));
    }
    command.run(&mut state.space, args).map_err(|error| error.to_string())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "Redis prints whole numbers without a fraction"
)]
fn argument(value: &Value) -> mlua::Result<Vec<u8>> {
    match value {
        Value::String(text) => Ok(text.as_bytes().to_vec()),
        Value::Integer(number) => Ok(number.to_string().into_bytes()),
        Value::Number(number) if number.fract() == 0.0 => {
            Ok((*number as i64).to_string().into_bytes())
        }
        Value::Number(number) => Ok(number.to_string().into_bytes()),
        _ => Err(mlua::Error::runtime(
            "ERR Lua redis lib command arguments must be strings or integers",
        )),
    }
}

fn to_lua(lua: &Lua, reply: &Reply) -> mlua::Result<Value> {
    Ok(match reply {
        Reply::Nil => Value::Boolean(false),
        #[expect(clippy::cast_precision_loss, reason = "Lua 5.1 has only doubles; so has Redis")]
        Reply::Integer(number) => Value::Number(*number as f64),
        Reply::Bulk(bytes) => Value::String(lua.create_string(bytes)?),
        Reply::Status(text) => Value::Table(lua.create_table_from([("ok", text.as_str())])?),
        Reply::Error(text) => Value::Table(lua.create_table_from([("err", text.as_str())])?),
        Reply::Array(items) => {
            let items =
                items.iter().map(|item| to_lua(lua, item)).collect::<mlua::Result<Vec<_>>>()?;
            Value::Table(lua.create_sequence_from(items)?)
        }
    })
}

#[expect(clippy::cast_possible_truncation, reason = "Redis cuts fractions off")]
fn from_lua(value: &Value) -> mlua::Result<Reply> {
    Ok(match value {
        Value::Boolean(true) => Reply::Integer(1),
        Value::Integer(number) => Reply::Integer(*number),
        Value::Number(number) => Reply::Integer(*number as i64),
        Value::String(text) => Reply::Bulk(text.as_bytes().to_vec()),
        Value::Table(table) => {
            if let Some(text) = table.raw_get::<Option<String>>("err")? {
                return Ok(Reply::Error(text));
            }
            if let Some(text) = table.raw_get::<Option<String>>("ok")? {
                return Ok(Reply::Status(text));
            }
            let items = table.sequence_values::<Value>();
            Reply::Array(items.map(|item| from_lua(&item?)).collect::<mlua::Result<_>>()?)
        }
        _ => Reply::Nil,
    })
}
