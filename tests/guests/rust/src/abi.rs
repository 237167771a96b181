//! The border of the component: the canonical ABI of a 32-bit linear memory.
//!
//! A `#[repr(C)]` struct of this target has exactly the canonical layout, so records are plain structs here. Parameters
//! come flattened into scalars; what they point to was allocated through `cabi_realloc` and belongs to the callee, so
//! lifting takes it over. A result is the address of a struct; that, and what it points to, is held until the host has
//! copied it and calls the post-return function.

use crate::instant::Instant;
use crate::types::{Agents, Category, Entry, Message, StoreWithAgent};
use std::alloc::{alloc, handle_alloc_error, realloc, Layout};
use std::any::Any;
use std::cell::RefCell;
use std::mem::size_of;

#[derive(Clone, Copy)]
#[repr(C)]
struct Slice<T> {
    items: *const T,
    count: usize,
}

type Text = Slice<u8>;

#[derive(Clone, Copy)]
#[repr(C)]
struct Maybe<T> {
    is_some: u8,
    value: T,
}

type MaybeText = Maybe<Text>;

#[derive(Clone, Copy)]
#[repr(C)]
struct RawCategory {
    tag: u8,
    custom: Text,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct RawEntry {
    id: Text,
    key: Text,
    content: Text,
    category: RawCategory,
    timestamp: Text,
    session_id: MaybeText,
    score: Maybe<f64>,
    namespace: Text,
    importance: Maybe<f64>,
    superseded_by: MaybeText,
    agent_alias: MaybeText,
    agent_id: MaybeText,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct RawMessage {
    role: Text,
    content: Text,
    name: MaybeText,
}

#[repr(C)]
struct RawStoreWithAgent {
    key: Text,
    content: Text,
    category: RawCategory,
    session_id: MaybeText,
    namespace: MaybeText,
    importance: Maybe<f64>,
    agent_id: MaybeText,
}

#[derive(Clone, Copy)]
#[repr(C)]
union OkOrErr<T: Copy> {
    ok: T,
    err: Text,
}

#[repr(C)]
struct RawResult<T: Copy> {
    is_err: u8,
    value: OkOrErr<T>,
}

// The canonical sizes; a target that lays structs out in another way does not compile.
const _: () = assert!(size_of::<RawEntry>() == 136);
const _: () = assert!(size_of::<RawStoreWithAgent>() == 88);

// ------------------------------------------------------------------------------------------------ what comes in

/// The host asks here for room for what it passes in.
#[export_name = "cabi_realloc"]
unsafe extern "C" fn cabi_realloc(old: *mut u8, old_size: usize, alignment: usize, size: usize) -> *mut u8 {
    if size == 0 {
        return alignment as *mut u8;
    }
    let layout = Layout::from_size_align_unchecked(size, alignment);
    let fresh = match old_size {
        0 => alloc(layout),
        _ => realloc(old, Layout::from_size_align_unchecked(old_size, alignment), size),
    };
    if fresh.is_null() {
        handle_alloc_error(layout);
    }
    fresh
}

/// Each function takes over what it is given: call it once for a value that the host has passed.
mod lift {
    use super::*;

    unsafe fn owned<T>(from: Slice<T>) -> Vec<T> {
        match from.count {
            0 => Vec::new(),
            count => Vec::from_raw_parts(from.items as *mut T, count, count),
        }
    }

    pub(super) unsafe fn text(from: Text) -> String {
        String::from_utf8(owned(from)).expect("the host passes UTF-8")
    }

    pub(super) unsafe fn maybe_text(from: MaybeText) -> Option<String> {
        (from.is_some != 0).then(|| text(from.value))
    }

    pub(super) fn maybe_number(from: Maybe<f64>) -> Option<f64> {
        (from.is_some != 0).then(|| from.value)
    }

    pub(super) unsafe fn category(from: RawCategory) -> Category {
        match from.tag {
            0 => Category::Core,
            1 => Category::Daily,
            2 => Category::Conversation,
            _ => Category::Custom(text(from.custom)),
        }
    }

    pub(super) unsafe fn maybe_category(from: Maybe<RawCategory>) -> Option<Category> {
        (from.is_some != 0).then(|| category(from.value))
    }

    pub(super) unsafe fn agents(tag: u32, ids: Slice<Text>) -> Agents {
        match tag {
            0 => Agents::All,
            _ => Agents::Some(owned(ids).into_iter().map(|id| text(id)).collect()),
        }
    }

    pub(super) unsafe fn messages(from: Slice<RawMessage>) -> Vec<Message> {
        let message =
            |raw: RawMessage| Message { role: text(raw.role), content: text(raw.content), name: maybe_text(raw.name) };
        owned(from).into_iter().map(message).collect()
    }

    pub(super) unsafe fn store_with_agent(from: *mut RawStoreWithAgent) -> StoreWithAgent {
        let raw = Box::from_raw(from);
        StoreWithAgent {
            key: text(raw.key),
            content: text(raw.content),
            category: category(raw.category),
            session_id: maybe_text(raw.session_id),
            namespace: maybe_text(raw.namespace),
            importance: maybe_number(raw.importance),
            agent_id: maybe_text(raw.agent_id),
        }
    }
}

// ----------------------------------------------------------------------------------------------- what goes out

thread_local! {
    /// What the result of the running call points to.
    static HELD: RefCell<Vec<Box<dyn Any>>> = RefCell::new(Vec::new());
}

/// Keeps a value until the host has copied it, and gives its address.
fn hold<T: 'static>(value: T) -> *const T {
    let boxed = Box::new(value);
    let address: *const T = &*boxed;
    HELD.with(|held| held.borrow_mut().push(boxed));
    address
}

fn text(from: &str) -> Text {
    Slice { items: from.as_ptr(), count: from.len() }
}

fn maybe_text(from: &Option<String>) -> MaybeText {
    Maybe { is_some: u8::from(from.is_some()), value: text(from.as_deref().unwrap_or("")) }
}

fn maybe_number(from: Option<f64>) -> Maybe<f64> {
    Maybe { is_some: u8::from(from.is_some()), value: from.unwrap_or(0.0) }
}

/// A value of the world. What `lower` gives points into it, so it has to be held as long.
trait Lower: 'static {
    type Raw: Copy + 'static;

    fn lower(&self) -> Self::Raw;
}

impl Lower for () {
    type Raw = ();

    fn lower(&self) {}
}

impl Lower for bool {
    type Raw = u8;

    fn lower(&self) -> u8 {
        u8::from(*self)
    }
}

impl Lower for u64 {
    type Raw = u64;

    fn lower(&self) -> u64 {
        *self
    }
}

impl Lower for String {
    type Raw = Text;

    fn lower(&self) -> Text {
        text(self)
    }
}

impl Lower for Entry {
    type Raw = RawEntry;

    fn lower(&self) -> RawEntry {
        let (tag, custom) = match &self.category {
            Category::Core => (0, ""),
            Category::Daily => (1, ""),
            Category::Conversation => (2, ""),
            Category::Custom(word) => (3, word.as_str()),
        };
        RawEntry {
            id: text(&self.id),
            key: text(&self.key),
            content: text(&self.content),
            category: RawCategory { tag, custom: text(custom) },
            timestamp: text(&self.timestamp),
            session_id: maybe_text(&self.session_id),
            score: maybe_number(self.score),
            namespace: text(&self.namespace),
            importance: maybe_number(self.importance),
            superseded_by: maybe_text(&self.superseded_by),
            agent_alias: maybe_text(&self.agent_alias),
            agent_id: maybe_text(&self.agent_id),
        }
    }
}

impl Lower for Option<Entry> {
    type Raw = Maybe<RawEntry>;

    fn lower(&self) -> Maybe<RawEntry> {
        // SAFETY: every bit pattern is a raw entry, and no entry is read where there is none.
        let nothing = || unsafe { std::mem::zeroed() };
        Maybe { is_some: u8::from(self.is_some()), value: self.as_ref().map_or_else(nothing, Lower::lower) }
    }
}

impl Lower for Vec<Entry> {
    type Raw = Slice<RawEntry>;

    fn lower(&self) -> Slice<RawEntry> {
        let raw: Vec<RawEntry> = self.iter().map(Lower::lower).collect();
        let slice = Slice { items: raw.as_ptr(), count: raw.len() };
        hold(raw);
        slice
    }
}

/// What a function of the world returns, as the one word that crosses the border.
trait Answer {
    fn answer(self) -> usize;
}

impl Answer for bool {
    fn answer(self) -> usize {
        usize::from(self)
    }
}

impl Answer for u32 {
    fn answer(self) -> usize {
        self as usize
    }
}

impl Answer for String {
    fn answer(self) -> usize {
        let raw = hold(text(&self));
        hold(self);
        raw as usize
    }
}

impl<T: Lower> Answer for Result<T, String> {
    fn answer(self) -> usize {
        let raw = match &self {
            Ok(value) => RawResult { is_err: 0, value: OkOrErr { ok: value.lower() } },
            Err(problem) => RawResult { is_err: 1, value: OkOrErr { err: text(problem) } },
        };
        // Moving the value leaves the texts that it owns where they are.
        hold(self);
        hold(raw) as usize
    }
}

// -------------------------------------------------------------------------------------- the exported functions

/// Exports a function of this crate as one of the world: unfolds its parameters into scalars, lifts them, and adds the
/// post-return function. The names made here are of their own at every step, so that no two parameters collide.
macro_rules! export {
    ($name:literal = $run:ident ($($kind:ident)*)) => {
        export!(@ $name $run [$($kind)*] [] []);
    };
    (@ $name:literal $run:ident [Text $($rest:ident)*] [$($flat:tt)*] [$($lifted:tt)*]) => {
        export!(@ $name $run [$($rest)*] [$($flat)* items: *const u8, count: usize,]
            [$($lifted)* lift::text(Slice { items, count }),]);
    };
    (@ $name:literal $run:ident [MaybeText $($rest:ident)*] [$($flat:tt)*] [$($lifted:tt)*]) => {
        export!(@ $name $run [$($rest)*] [$($flat)* is_some: u32, items: *const u8, count: usize,]
            [$($lifted)* lift::maybe_text(Maybe { is_some: is_some as u8, value: Slice { items, count } }),]);
    };
    (@ $name:literal $run:ident [MaybeNumber $($rest:ident)*] [$($flat:tt)*] [$($lifted:tt)*]) => {
        export!(@ $name $run [$($rest)*] [$($flat)* is_some: u32, value: f64,]
            [$($lifted)* lift::maybe_number(Maybe { is_some: is_some as u8, value }),]);
    };
    (@ $name:literal $run:ident [Number $($rest:ident)*] [$($flat:tt)*] [$($lifted:tt)*]) => {
        export!(@ $name $run [$($rest)*] [$($flat)* number: u64,] [$($lifted)* number,]);
    };
    (@ $name:literal $run:ident [Category $($rest:ident)*] [$($flat:tt)*] [$($lifted:tt)*]) => {
        export!(@ $name $run [$($rest)*] [$($flat)* tag: u32, items: *const u8, count: usize,]
            [$($lifted)* lift::category(RawCategory { tag: tag as u8, custom: Slice { items, count } }),]);
    };
    (@ $name:literal $run:ident [MaybeCategory $($rest:ident)*] [$($flat:tt)*] [$($lifted:tt)*]) => {
        export!(@ $name $run [$($rest)*] [$($flat)* is_some: u32, tag: u32, items: *const u8, count: usize,]
            [$($lifted)* lift::maybe_category(Maybe {
                is_some: is_some as u8,
                value: RawCategory { tag: tag as u8, custom: Slice { items, count } },
            }),]);
    };
    (@ $name:literal $run:ident [Agents $($rest:ident)*] [$($flat:tt)*] [$($lifted:tt)*]) => {
        export!(@ $name $run [$($rest)*] [$($flat)* tag: u32, items: *const Text, count: usize,]
            [$($lifted)* lift::agents(tag, Slice { items, count }),]);
    };
    (@ $name:literal $run:ident [Messages $($rest:ident)*] [$($flat:tt)*] [$($lifted:tt)*]) => {
        export!(@ $name $run [$($rest)*] [$($flat)* items: *const RawMessage, count: usize,]
            [$($lifted)* lift::messages(Slice { items, count }),]);
    };
    (@ $name:literal $run:ident [StoreWithAgent] [] []) => {
        export!(@ $name $run [] [given: *mut RawStoreWithAgent,] [lift::store_with_agent(given),]);
    };
    (@ $name:literal $run:ident [] [$($flat:tt)*] [$($lifted:tt)*]) => {
        const _: () = {
            #[export_name = concat!("zeroclaw:plugin/", $name)]
            unsafe extern "C" fn exported($($flat)*) -> usize {
                crate::$run($($lifted)*).answer()
            }

            #[export_name = concat!("cabi_post_zeroclaw:plugin/", $name)]
            extern "C" fn returned(_result: usize) {
                HELD.with(|held| held.borrow_mut().clear());
            }
        };
    };
}

export!("plugin-info@0.1.0#plugin-name" = plugin_name());
export!("plugin-info@0.1.0#plugin-version" = plugin_version());
export!("memory@0.1.0#name" = name());
export!("memory@0.1.0#get-memory-capabilities" = capabilities());
export!("memory@0.1.0#store-entry" = store_entry(Text Text Category MaybeText));
export!("memory@0.1.0#recall" = recall(Text Number MaybeText MaybeText MaybeText));
export!("memory@0.1.0#get" = get(Text));
export!("memory@0.1.0#list-entries" = list_entries(MaybeCategory MaybeText));
export!("memory@0.1.0#forget" = forget(Text));
export!("memory@0.1.0#forget-for-agent" = forget_for_agent(Text Text));
export!("memory@0.1.0#count" = count());
export!("memory@0.1.0#health-check" = health_check());
export!("memory@0.1.0#store-with-agent" = store_with_agent(StoreWithAgent));
export!("memory@0.1.0#recall-for-agents" = recall_for_agents(Agents Text Number MaybeText MaybeText MaybeText));
export!("memory@0.1.0#get-for-agent" = get_for_agent(Text Text));
export!("memory@0.1.0#purge-namespace" = purge_namespace(Text));
export!("memory@0.1.0#purge-session" = purge_session(Text));
export!("memory@0.1.0#purge-session-for-agent" = purge_session_for_agent(Text Text));
export!("memory@0.1.0#purge-agent" = purge_agent(Text));
export!("memory@0.1.0#reindex" = reindex());
export!("memory@0.1.0#store-procedural" = store_procedural(Messages MaybeText));
export!("memory@0.1.0#ensure-agent-uuid" = ensure_agent_uuid(Text));
export!("memory@0.1.0#recall-namespaced" = recall_namespaced(Text Text Number MaybeText MaybeText MaybeText));
// The fields of the record `export-filter` are flattened like parameters.
export!("memory@0.1.0#export-entries" = export_entries(MaybeText MaybeText MaybeCategory MaybeText MaybeText));
export!("memory@0.1.0#store-with-metadata" =
    store_with_metadata(Text Text Category MaybeText MaybeText MaybeNumber));

// ------------------------------------------------------------------------------------------ the imported functions

/// Levels of `log-level` and kinds of `plugin-action`, as far as they are used here.
#[derive(Clone, Copy)]
pub enum Level {
    Debug = 1,
}

#[derive(Clone, Copy)]
pub enum Action {
    Write = 23,
}

#[repr(C)]
struct Datetime {
    seconds: u64,
    nanoseconds: u32,
}

#[link(wasm_import_module = "wasi:clocks/wall-clock@0.2.0")]
extern "C" {
    #[link_name = "now"]
    fn wall_clock_now(result: *mut Datetime);
}

#[link(wasm_import_module = "wasi:random/random@0.2.0")]
extern "C" {
    #[link_name = "get-random-u64"]
    fn get_random_u64() -> u64;
}

#[link(wasm_import_module = "zeroclaw:plugin/logging@0.1.0")]
extern "C" {
    #[link_name = "log-record"]
    fn log_record(
        level: u32,
        function_name: *const u8,
        function_name_length: usize,
        action: u32,
        has_outcome: u32,
        outcome: u32,
        has_duration: u32,
        duration_ms: u64,
        has_attrs: u32,
        attrs: *const u8,
        attrs_length: usize,
        message: *const u8,
        message_length: usize,
    );
}

/// The host's wall clock.
pub fn now() -> Instant {
    let mut time = Datetime { seconds: 0, nanoseconds: 0 };
    unsafe { wall_clock_now(&mut time) };
    Instant::since_1970(time.seconds, time.nanoseconds)
}

/// A random UUID (version 4).
pub fn uuid() -> String {
    let (high, low) = unsafe { (get_random_u64(), get_random_u64()) };
    let hex = format!("{:016x}{:016x}", high & !0xf000 | 0x4000, low & !(0b11 << 62) | 0b10 << 62);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// A record of something that succeeded, for the host's log.
pub fn log(level: Level, action: Action, function: &str, message: &str) {
    let (function, message, nothing) = (text(function), text(message), text(""));
    let (is_some, is_none, success) = (1, 0, 0);
    unsafe {
        log_record(
            level as u32,
            function.items,
            function.count,
            action as u32,
            is_some,
            success,
            is_none,
            0,
            is_none,
            nothing.items,
            nothing.count,
            message.items,
            message.count,
        );
    }
}
