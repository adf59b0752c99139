//! Where answers are kept: the seam between the cache's rules and the place, memory here, files in `runtime`.
//! Must not know: which answers may be kept, or how long one counts.

use crate::core::evidence::digest;
use crate::core::time::Time;
use crate::github::layers::hold;
use bytes::Bytes;
use std::collections::HashMap;
use std::fmt;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};

/// What a shelf will have done; one that reads files does it on another thread.
pub type Soon<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Keeps answers by key. It may forget any of them at any time, and never fails: what cannot be kept is not kept.
pub trait Shelf: Send + Sync {
    fn get(&self, key: &Key) -> Soon<Option<Kept>>;
    fn put(&self, key: Key, kept: Kept) -> Soon<()>;
    /// GitHub said at `at` that the answer with this `ETag` still holds.
    fn confirm(&self, key: &Key, etag: &str, at: Time) -> Soon<()>;
}

/// Which answer: API, address, form and identity, since one address differs between forms and between accounts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// `identity` is a word for the account, never the token itself.
    pub fn new(api: &str, address: &str, form: &str, identity: &str) -> Key {
        // None of them can hold a line break.
        Key([api, address, form, identity].join("\n"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// 64 hexadecimal digits: a file's name.
    pub fn name(&self) -> String {
        digest(self.0.as_bytes())
    }
}

/// An answer as it is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Kept {
    pub status: u16,
    /// Only those that mean something later.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
    /// When GitHub last said that this is the answer.
    pub confirmed: Time,
}

impl Kept {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({}, {} bytes, {})", self.status, self.body.len(), self.confirmed)
    }
}

/// Bytes of bodies that memory holds before the least recently used go.
const ROOM: usize = 64 << 20;

/// A shelf that lives as long as the program.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<Inside>>);

#[derive(Default)]
struct Inside {
    kept: HashMap<Key, (Kept, u64)>,
    bytes: usize,
    uses: u64,
}

impl Inside {
    fn get(&mut self, key: &Key) -> Option<Kept> {
        self.uses += 1;
        let (kept, used) = self.kept.get_mut(key)?;
        *used = self.uses;
        Some(kept.clone())
    }

    fn put(&mut self, key: Key, kept: Kept, room: usize) {
        if kept.body.len() > room / 4 {
            return;
        }
        self.uses += 1;
        self.bytes += kept.body.len();
        if let Some((old, _)) = self.kept.insert(key, (kept, self.uses)) {
            self.bytes -= old.body.len();
        }
        while self.bytes > room {
            let Some(oldest) = self.kept.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone()) else { break };
            if let Some((gone, _)) = self.kept.remove(&oldest) {
                self.bytes -= gone.body.len();
            }
        }
    }
}

impl Shelf for Memory {
    fn get(&self, key: &Key) -> Soon<Option<Kept>> {
        Box::pin(ready(hold(&self.0).get(key)))
    }

    fn put(&self, key: Key, kept: Kept) -> Soon<()> {
        hold(&self.0).put(key, kept, ROOM);
        Box::pin(ready(()))
    }

    fn confirm(&self, key: &Key, etag: &str, at: Time) -> Soon<()> {
        if let Some((kept, _)) = hold(&self.0).kept.get_mut(key).filter(|(kept, _)| kept.header("etag") == Some(etag)) {
            kept.confirmed = at;
        }
        Box::pin(ready(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_stays_within_its_room() {
        let mut inside = Inside::default();
        let kept =
            |n: usize| Kept { status: 200, headers: Vec::new(), body: Bytes::from(vec![0; n]), confirmed: Time::default() };
        let key = |n: usize| Key::new("", &n.to_string(), "", "");
        for n in 0..20 {
            inside.put(key(n), kept(10), 100);
            inside.get(&key(0));
        }
        inside.put(key(99), kept(26), 100);
        assert!(inside.bytes <= 100 && inside.kept.len() == 10, "{} {}", inside.bytes, inside.kept.len());
        assert!(inside.kept.contains_key(&key(0)), "the one that is used stays");
        assert!(!inside.kept.contains_key(&key(99)), "nothing takes more than a quarter");
    }

    #[tokio::test]
    async fn only_the_answer_that_was_meant_is_confirmed() {
        let (memory, key) = (Memory::default(), Key::new("api", "/a", "json", ""));
        let headers = vec![("etag".to_owned(), "\"2\"".to_owned())];
        let kept = Kept { status: 200, headers, body: Bytes::new(), confirmed: Time::default() };
        memory.put(key.clone(), kept.clone()).await;
        let later = "2026-08-11T12:00:00Z".parse::<Time>().unwrap();
        memory.confirm(&key, "\"1\"", later).await;
        assert_eq!(memory.get(&key).await, Some(kept.clone()));
        memory.confirm(&key, "\"2\"", later).await;
        assert_eq!(memory.get(&key).await, Some(Kept { confirmed: later, ..kept }));
    }
}
