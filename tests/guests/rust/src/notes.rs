//! The rows: put, find, rank, remove.

use crate::instant::Instant;
use crate::types::{Agents, Category, Entry};
use std::collections::BTreeMap;

type Identity = (String, Option<String>);

/// What a caller gives of a row.
#[derive(Default)]
pub struct Draft {
    pub key: String,
    pub content: String,
    pub category: Category,
    pub session_id: Option<String>,
    pub namespace: Option<String>,
    pub importance: Option<f64>,
    pub agent_id: Option<String>,
}

struct Row {
    id: String,
    draft: Draft,
    at: Instant,
    /// Which write it was; tells rows of one instant apart.
    written: u64,
    /// Key and content in lower case.
    folded: String,
}

/// The rows that meet every condition that is given.
#[derive(Default)]
pub struct Wanted {
    pub key: Option<String>,
    pub category: Option<Category>,
    pub session_id: Option<String>,
    pub namespace: Option<String>,
    pub agents: Agents,
    pub since: Option<Instant>,
    pub until: Option<Instant>,
}

impl Wanted {
    fn takes(&self, row: &Row) -> bool {
        let draft = &row.draft;
        let is_whose = match &self.agents {
            Agents::All => true,
            Agents::Some(ids) => draft.agent_id.as_ref().map_or(false, |id| ids.contains(id)),
        };
        is_whose
            && self.key.as_ref().map_or(true, |key| *key == draft.key)
            && self.category.as_ref().map_or(true, |category| *category == draft.category)
            && (self.session_id.is_none() || self.session_id == draft.session_id)
            && self.namespace.as_deref().map_or(true, |namespace| namespace == namespace_of(draft))
            && self.since.map_or(true, |since| since <= row.at)
            && self.until.map_or(true, |until| row.at <= until)
    }
}

#[derive(Default)]
pub struct Notes {
    rows: BTreeMap<Identity, Row>,
    /// Ids of agents by their aliases.
    agents: BTreeMap<String, String>,
    writes: u64,
}

impl Notes {
    pub fn count(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Writes a row; one of the same key and agent is replaced and leaves it its id.
    pub fn put(&mut self, draft: Draft, at: Instant, new_id: impl Fn() -> String) {
        let identity = (draft.key.clone(), draft.agent_id.clone());
        let id = self.rows.remove(&identity).map_or_else(new_id, |replaced| replaced.id);
        let folded = format!("{}\n{}", draft.key, draft.content).to_lowercase();
        self.writes += 1;
        self.rows.insert(identity, Row { id, draft, at, written: self.writes, folded });
    }

    pub fn purge(&mut self, wanted: &Wanted) -> u64 {
        let before = self.rows.len();
        self.rows.retain(|_, row| !wanted.takes(row));
        (before - self.rows.len()) as u64
    }

    pub fn of_agent(&self, key: &str, agent_id: &str) -> Option<Entry> {
        let identity = (key.to_owned(), Some(agent_id.to_owned()));
        self.rows.get(&identity).map(|row| self.entry(row, None))
    }

    /// The row without an agent, or the newest of the others.
    pub fn any_of_key(&self, key: &str) -> Option<Entry> {
        let wanted = Wanted { key: Some(key.to_owned()), ..Wanted::default() };
        let row = self.rows.get(&(key.to_owned(), None)).or_else(|| self.selected(&wanted).into_iter().next());
        row.map(|row| self.entry(row, None))
    }

    pub fn newest_first(&self, wanted: &Wanted) -> Vec<Entry> {
        self.selected(wanted).into_iter().map(|row| self.entry(row, None)).collect()
    }

    /// The rows that have a word of the query, those with most of them first, and of equals the newest.
    pub fn recall(&self, query: &str, limit: u64, wanted: &Wanted) -> Vec<Entry> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let query = query.trim();
        let rows = self.selected(wanted);
        if query.is_empty() || query == "*" {
            return rows.into_iter().take(limit).map(|row| self.entry(row, None)).collect();
        }
        let folded = query.to_lowercase();
        let words: Vec<&str> = folded.split_whitespace().collect();
        let mut found: Vec<(usize, &Row)> = rows
            .into_iter()
            .map(|row| (words.iter().filter(|word| row.folded.contains(**word)).count(), row))
            .filter(|(hits, _)| *hits > 0)
            .collect();
        found.sort_by_key(|(hits, _)| usize::MAX - hits);
        let score = |hits| Some(hits as f64 / words.len() as f64);
        found.into_iter().take(limit).map(|(hits, row)| self.entry(row, score(hits))).collect()
    }

    pub fn id_of(&self, alias: &str) -> Option<String> {
        self.agents.get(alias).cloned()
    }

    pub fn ensure_agent(&mut self, alias: String, new_id: impl Fn() -> String) -> String {
        self.agents.entry(alias).or_insert_with(new_id).clone()
    }

    fn selected(&self, wanted: &Wanted) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.values().filter(|row| wanted.takes(row)).collect();
        rows.sort_by(|a, b| (b.at, b.written).cmp(&(a.at, a.written)));
        rows
    }

    fn entry(&self, row: &Row, score: Option<f64>) -> Entry {
        let draft = &row.draft;
        let alias = self.agents.iter().find(|(_, id)| Some(*id) == draft.agent_id.as_ref());
        Entry {
            id: row.id.clone(),
            key: draft.key.clone(),
            content: draft.content.clone(),
            category: draft.category.clone(),
            timestamp: row.at.to_string(),
            session_id: draft.session_id.clone(),
            score,
            namespace: namespace_of(draft).to_owned(),
            importance: draft.importance,
            superseded_by: None,
            agent_alias: alias.map(|(alias, _)| alias.clone()),
            agent_id: draft.agent_id.clone(),
        }
    }
}

fn namespace_of(draft: &Draft) -> &str {
    draft.namespace.as_deref().unwrap_or("default")
}
