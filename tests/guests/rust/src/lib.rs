//! A memory plugin in Rust, without crates: what the world asks for, over the rows of `notes`.
//!
//! All that touches raw memory is in `abi`; the compiler holds every other module to safe code. Of the optional
//! functions it has seven, so that the host's ways of doing without are used as well.

#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod abi;
mod instant;
mod notes;
mod types;

use abi::{Action, Level};
use instant::Instant;
use notes::{Draft, Notes, Wanted};
use std::cell::RefCell;
use types::{Agents, Category, Entry, Message, StoreWithAgent};

const NAME: &str = "rust-guest";
const VERSION: &str = "0.1.0";

/// Bits of `memory-capabilities`.
const GET_FOR_AGENT: u32 = 1 << 0;
const PURGE_NAMESPACE: u32 = 1 << 1;
const PURGE_SESSION: u32 = 1 << 2;
const PURGE_SESSION_FOR_AGENT: u32 = 1 << 3;
const PURGE_AGENT: u32 = 1 << 4;
const ENSURE_AGENT_UUID: u32 = 1 << 7;
const EXPORT_ENTRIES: u32 = 1 << 9;

type Outcome<T> = Result<T, String>;

thread_local! {
    static NOTES: RefCell<Notes> = RefCell::new(Notes::default());
}

fn with_notes<T>(action: impl FnOnce(&mut Notes) -> T) -> T {
    NOTES.with(|notes| action(&mut notes.borrow_mut()))
}

fn not_supported<T>() -> Outcome<T> {
    Err("not supported".to_owned())
}

fn put(draft: Draft) -> Outcome<()> {
    if draft.importance.map_or(false, f64::is_nan) {
        return Err("importance is not a number".to_owned());
    }
    with_notes(|notes| notes.put(draft, abi::now(), abi::uuid));
    abi::log(Level::Debug, Action::Write, "rust_guest::put", "stored one row");
    Ok(())
}

fn search(
    mut wanted: Wanted,
    query: &str,
    limit: u64,
    session_id: Option<String>,
    since: Option<String>,
    until: Option<String>,
) -> Outcome<Vec<Entry>> {
    wanted.session_id = session_id;
    wanted.since = Instant::earliest("since", since)?;
    wanted.until = Instant::latest("until", until)?;
    Ok(with_notes(|notes| notes.recall(query, limit, &wanted)))
}

// Required functions, in the order of the world.

fn plugin_name() -> String {
    NAME.to_owned()
}

fn plugin_version() -> String {
    VERSION.to_owned()
}

fn name() -> String {
    NAME.to_owned()
}

fn capabilities() -> u32 {
    GET_FOR_AGENT
        | PURGE_NAMESPACE
        | PURGE_SESSION
        | PURGE_SESSION_FOR_AGENT
        | PURGE_AGENT
        | ENSURE_AGENT_UUID
        | EXPORT_ENTRIES
}

fn store_entry(key: String, content: String, category: Category, session_id: Option<String>) -> Outcome<()> {
    put(Draft { key, content, category, session_id, ..Draft::default() })
}

fn recall(
    query: String,
    limit: u64,
    session_id: Option<String>,
    since: Option<String>,
    until: Option<String>,
) -> Outcome<Vec<Entry>> {
    search(Wanted::default(), &query, limit, session_id, since, until)
}

fn get(key: String) -> Outcome<Option<Entry>> {
    Ok(with_notes(|notes| notes.any_of_key(&key)))
}

fn list_entries(category: Option<Category>, session_id: Option<String>) -> Outcome<Vec<Entry>> {
    let wanted = Wanted { category, session_id, ..Wanted::default() };
    Ok(with_notes(|notes| notes.newest_first(&wanted)))
}

fn forget(key: String) -> Outcome<bool> {
    let wanted = Wanted { key: Some(key), ..Wanted::default() };
    Ok(with_notes(|notes| notes.purge(&wanted)) > 0)
}

fn forget_for_agent(key: String, agent_id: String) -> Outcome<bool> {
    let wanted = Wanted { key: Some(key), agents: Agents::Some(vec![agent_id]), ..Wanted::default() };
    Ok(with_notes(|notes| notes.purge(&wanted)) > 0)
}

fn count() -> Outcome<u64> {
    Ok(with_notes(|notes| notes.count()))
}

fn health_check() -> bool {
    true
}

fn store_with_agent(given: StoreWithAgent) -> Outcome<()> {
    put(Draft {
        key: given.key,
        content: given.content,
        category: given.category,
        session_id: given.session_id,
        namespace: given.namespace,
        importance: given.importance,
        agent_id: given.agent_id,
    })
}

fn recall_for_agents(
    agents: Agents,
    query: String,
    limit: u64,
    session_id: Option<String>,
    since: Option<String>,
    until: Option<String>,
) -> Outcome<Vec<Entry>> {
    let wanted = Wanted { agents, ..Wanted::default() };
    search(wanted, &query, limit, session_id, since, until)
}

// Optional functions.

fn get_for_agent(key: String, agent_id: String) -> Outcome<Option<Entry>> {
    Ok(with_notes(|notes| notes.of_agent(&key, &agent_id)))
}

fn purge_namespace(namespace: String) -> Outcome<u64> {
    let wanted = Wanted { namespace: Some(namespace), ..Wanted::default() };
    Ok(with_notes(|notes| notes.purge(&wanted)))
}

fn purge_session(session_id: String) -> Outcome<u64> {
    let wanted = Wanted { session_id: Some(session_id), ..Wanted::default() };
    Ok(with_notes(|notes| notes.purge(&wanted)))
}

fn purge_session_for_agent(session_id: String, agent_id: String) -> Outcome<u64> {
    let agents = Agents::Some(vec![agent_id]);
    let wanted = Wanted { session_id: Some(session_id), agents, ..Wanted::default() };
    Ok(with_notes(|notes| notes.purge(&wanted)))
}

fn purge_agent(alias: String) -> Outcome<u64> {
    Ok(with_notes(|notes| match notes.id_of(&alias) {
        Some(id) => notes.purge(&Wanted { agents: Agents::Some(vec![id]), ..Wanted::default() }),
        None => 0,
    }))
}

fn ensure_agent_uuid(alias: String) -> Outcome<String> {
    Ok(with_notes(|notes| notes.ensure_agent(alias, abi::uuid)))
}

fn export_entries(
    namespace: Option<String>,
    session_id: Option<String>,
    category: Option<Category>,
    since: Option<String>,
    until: Option<String>,
) -> Outcome<Vec<Entry>> {
    let since = Instant::earliest("since", since)?;
    let until = Instant::latest("until", until)?;
    let wanted = Wanted { namespace, session_id, category, since, until, ..Wanted::default() };
    let mut found = with_notes(|notes| notes.newest_first(&wanted));
    found.reverse();
    Ok(found)
}

// Optional functions that this plugin does not have. They must be there all the same.

fn reindex() -> Outcome<u64> {
    not_supported()
}

fn store_procedural(_messages: Vec<Message>, _session_id: Option<String>) -> Outcome<()> {
    not_supported()
}

fn recall_namespaced(
    _namespace: String,
    _query: String,
    _limit: u64,
    _session_id: Option<String>,
    _since: Option<String>,
    _until: Option<String>,
) -> Outcome<Vec<Entry>> {
    not_supported()
}

fn store_with_metadata(
    _key: String,
    _content: String,
    _category: Category,
    _session_id: Option<String>,
    _namespace: Option<String>,
    _importance: Option<f64>,
) -> Outcome<()> {
    not_supported()
}
