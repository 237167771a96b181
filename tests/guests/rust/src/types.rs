//! The records and variants of the world.

#[derive(Clone, Debug, PartialEq)]
pub enum Category {
    Core,
    Daily,
    Conversation,
    Custom(String),
}

impl Default for Category {
    fn default() -> Category {
        Category::Core
    }
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub id: String,
    pub key: String,
    pub content: String,
    pub category: Category,
    pub timestamp: String,
    pub session_id: Option<String>,
    pub score: Option<f64>,
    pub namespace: String,
    pub importance: Option<f64>,
    pub superseded_by: Option<String>,
    pub agent_alias: Option<String>,
    pub agent_id: Option<String>,
}

/// The parameters of `store-with-agent`, which are too many to be passed one by one.
pub struct StoreWithAgent {
    pub key: String,
    pub content: String,
    pub category: Category,
    pub session_id: Option<String>,
    pub namespace: Option<String>,
    pub importance: Option<f64>,
    pub agent_id: Option<String>,
}

pub enum Agents {
    All,
    Some(Vec<String>),
}

impl Default for Agents {
    fn default() -> Agents {
        Agents::All
    }
}

#[allow(dead_code)]
pub struct Message {
    pub role: String,
    pub content: String,
    pub name: Option<String>,
}
