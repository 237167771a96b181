// A memory plugin in JavaScript, for jco with its QuickJS backend. It has all eleven optional functions.
//
// Absent values are null on both ways. A u64 is a Number on both ways, and a BigInt is refused; one of 2^63 or more
// arrives negative. What is thrown becomes the `err` of the result.

import { getRandomBytes } from "wasi:random/random@0.2.0";
import { logRecord } from "zeroclaw:plugin/logging@0.1.0";

// Rows by their identity, in the order of their writes.
const rows = new Map();
// Ids of agents by their aliases.
const agents = new Map();

const everything = () => true;

export const pluginInfo = {
  pluginName: () => "javascript-guest",
  pluginVersion: () => "0.1.0",
};

export const memory = {
  name: () => "javascript-guest",

  getMemoryCapabilities: () => ({
    getForAgent: true,
    purgeNamespace: true,
    purgeSession: true,
    purgeSessionForAgent: true,
    purgeAgent: true,
    reindex: true,
    storeProcedural: true,
    ensureAgentUuid: true,
    recallNamespaced: true,
    exportEntries: true,
    storeWithMetadata: true,
  }),

  healthCheck: () => true,

  count: () => rows.size,

  storeEntry(key, content, category, sessionId) {
    put({ key, content, category, sessionId });
  },

  storeWithMetadata(key, content, category, sessionId, namespace, importance) {
    put({ key, content, category, sessionId, namespace, importance });
  },

  storeWithAgent(key, content, category, sessionId, namespace, importance, agentId) {
    put({ key, content, category, sessionId, namespace, importance, agentId });
  },

  storeProcedural(messages, sessionId) {
    for (const { role, content, name } of messages) {
      const speaker = name === null ? role : `${role} (${name})`;
      const category = { tag: "custom", val: "procedural" };
      put({ key: `procedural-${uuid()}`, content: `${speaker}: ${content}`, category, sessionId });
    }
  },

  recall: (query, limit, sessionId, since, until) => search(query, limit, sessionId, since, until, everything),

  recallForAgents(filter, query, limit, sessionId, since, until) {
    const isMeant = filter.tag === "all" ? everything : (row) => filter.val.includes(row.agentId);
    return search(query, limit, sessionId, since, until, isMeant);
  },

  recallNamespaced: (namespace, query, limit, sessionId, since, until) =>
    search(query, limit, sessionId, since, until, (row) => row.namespace === namespace),

  get(key) {
    const row = rows.get(identity(key, null)) ?? newestFirst().find((row) => row.key === key);
    return row === undefined ? null : shown(row);
  },

  getForAgent(key, agentId) {
    const row = rows.get(identity(key, agentId));
    return row === undefined ? null : shown(row);
  },

  listEntries: (category, sessionId) =>
    newestFirst()
      .filter((row) => isOfCategory(row, category) && isOfSession(row, sessionId))
      .map((row) => shown(row)),

  exportEntries({ namespace, sessionId, category, since, until }) {
    const isIn = period(since, until);
    return newestFirst()
      .filter((row) => namespace === null || row.namespace === namespace)
      .filter((row) => isOfCategory(row, category) && isOfSession(row, sessionId) && isIn(row))
      .map((row) => shown(row))
      .reverse();
  },

  forget: (key) => purge((row) => row.key === key) > 0,

  forgetForAgent: (key, agentId) => rows.delete(identity(key, agentId)),

  purgeNamespace: (namespace) => purge((row) => row.namespace === namespace),

  purgeSession: (sessionId) => purge((row) => row.sessionId === sessionId),

  purgeSessionForAgent: (sessionId, agentId) => purge((row) => row.sessionId === sessionId && row.agentId === agentId),

  purgeAgent: (alias) => (agents.has(alias) ? purge((row) => row.agentId === agents.get(alias)) : 0),

  reindex: () => rows.size,

  ensureAgentUuid(alias) {
    if (!agents.has(alias)) agents.set(alias, uuid());
    return agents.get(alias);
  },
};

function identity(key, agentId) {
  return JSON.stringify([key, agentId]);
}

function put({ key, content, category, sessionId, namespace = null, importance = null, agentId = null }) {
  if (Number.isNaN(importance)) throw "importance is not a number";
  const place = identity(key, agentId);
  const id = rows.get(place)?.id ?? uuid();
  // Deleted first, so that the row moves to the end.
  rows.delete(place);
  rows.set(place, {
    id,
    key,
    content,
    category,
    at: Date.now(),
    sessionId,
    namespace: namespace ?? "default",
    importance,
    agentId,
    folded: `${key}\n${content}`.toLowerCase(),
  });
  logRecord("debug", {
    functionName: "app.put",
    action: "write",
    outcome: "success",
    durationMs: null,
    attrs: JSON.stringify({ rows: rows.size }),
    message: "stored one row",
  });
}

function purge(isMeant) {
  const meant = [...rows].filter(([, row]) => isMeant(row));
  for (const [place] of meant) rows.delete(place);
  return meant.length;
}

// A row as the world describes it.
function shown(row, score = null) {
  const alias = [...agents].find(([, id]) => id === row.agentId);
  return {
    id: row.id,
    key: row.key,
    content: row.content,
    category: row.category,
    timestamp: new Date(row.at).toISOString(),
    sessionId: row.sessionId,
    score,
    namespace: row.namespace,
    importance: row.importance,
    supersededBy: null,
    agentAlias: alias === undefined ? null : alias[0],
    agentId: row.agentId,
  };
}

function newestFirst() {
  // Sorting is stable, so rows of one millisecond stay in the order of their writes.
  return [...rows.values()].reverse().sort((a, b) => b.at - a.at);
}

function isOfCategory(row, category) {
  return category === null || (row.category.tag === category.tag && row.category.val === category.val);
}

function isOfSession(row, sessionId) {
  return sessionId === null || row.sessionId === sessionId;
}

// The rows that have a word of the query, those with most of them first, and of equals the newest.
function search(query, limit, sessionId, since, until, isMeant) {
  const isIn = period(since, until);
  const selected = newestFirst().filter((row) => isMeant(row) && isOfSession(row, sessionId) && isIn(row));
  const most = limit < 0 ? selected.length : limit;
  const trimmed = query.trim();
  if (trimmed === "" || trimmed === "*") return selected.slice(0, most).map((row) => shown(row));
  const words = trimmed.toLowerCase().split(/\s+/);
  return selected
    .map((row) => ({ row, hits: words.filter((word) => row.folded.includes(word)).length }))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits)
    .slice(0, most)
    .map(({ row, hits }) => shown(row, hits / words.length));
}

// Whether a row is between two bounds. They may be finer than the milliseconds of a row, hence the rounding.
function period(since, until) {
  const earliest = since === null ? -Infinity : Math.ceil(milliseconds("since", since));
  const latest = until === null ? Infinity : Math.floor(milliseconds("until", until));
  return (row) => earliest <= row.at && row.at <= latest;
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})(\d*))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

// Milliseconds since 1970; half a one more stands for whatever is smaller than one.
function milliseconds(name, text) {
  const parts = RFC_3339.exec(text);
  const [year, month, day, hour, minute, second] = parts?.slice(1, 7).map(Number) ?? [];
  const [offsetHours, offsetMinutes] = [Number(parts?.[10] ?? 0), Number(parts?.[11] ?? 0)];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isTime = hour < 24 && minute < 60 && second <= 60 && offsetHours < 24 && offsetMinutes < 60;
  if (!isTime || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    throw `${name} is not an RFC 3339 time: ${text}`;
  }
  date.setUTCHours(hour, minute, second, Number((parts[7] ?? "").padEnd(3, "0")));
  const offset = (parts[9] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes) * 60_000;
  return date.getTime() - offset + (/[1-9]/.test(parts[8] ?? "") ? 0.5 : 0);
}

// A random UUID (version 4). The engine's own random numbers would be those of the day it was built.
function uuid() {
  const bytes = Array.from(getRandomBytes(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
