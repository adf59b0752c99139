//! A value that lives elsewhere: not asked for, on its way, here, being refreshed, or failed.
//! Must not know: how it is fetched.

use super::evidence::Source;
use super::trouble::Trouble;
use serde::{Deserialize, Serialize};

/// A value with where it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sourced<T> {
    pub value: T,
    pub source: Source,
}

/// `Refreshing` and `Failed` keep the last value, so that nothing vanishes from the screen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remote<T> {
    #[default]
    Idle,
    Loading,
    Ready(Sourced<T>),
    /// Asked for again, or pages are still coming: the value is what there is so far.
    Refreshing(Sourced<T>),
    Failed {
        trouble: Trouble,
        last: Option<Sourced<T>>,
    },
}

impl<T> Remote<T> {
    /// What can be shown: the newest value, however old. A rule uses [`Remote::settled`] instead.
    pub fn known(&self) -> Option<&Sourced<T>> {
        match self {
            Remote::Ready(got) | Remote::Refreshing(got) => Some(got),
            Remote::Failed { last, .. } => last.as_ref(),
            Remote::Idle | Remote::Loading => None,
        }
    }

    /// The value, without where it came from.
    pub fn value(&self) -> Option<&T> {
        self.known().map(|got| &got.value)
    }

    /// The value if nothing newer is on its way and the last read succeeded.
    pub fn settled(&self) -> Option<&Sourced<T>> {
        match self {
            Remote::Ready(got) => Some(got),
            _ => None,
        }
    }

    pub fn trouble(&self) -> Option<&Trouble> {
        match self {
            Remote::Failed { trouble, .. } => Some(trouble),
            _ => None,
        }
    }

    /// Nobody asked for it.
    pub fn is_idle(&self) -> bool {
        matches!(self, Remote::Idle)
    }

    pub fn is_pending(&self) -> bool {
        matches!(self, Remote::Loading | Remote::Refreshing(_))
    }

    /// The same state with a value made of this one.
    pub fn map<U>(&self, make: impl Fn(&T) -> U) -> Remote<U> {
        let map = |got: &Sourced<T>| Sourced { value: make(&got.value), source: got.source.clone() };
        match self {
            Remote::Idle => Remote::Idle,
            Remote::Loading => Remote::Loading,
            Remote::Ready(got) => Remote::Ready(map(got)),
            Remote::Refreshing(got) => Remote::Refreshing(map(got)),
            Remote::Failed { trouble, last } => Remote::Failed { trouble: trouble.clone(), last: last.as_ref().map(map) },
        }
    }

    /// Marks the value as asked for.
    pub fn start(&mut self) {
        *self = match std::mem::take(self) {
            Remote::Ready(got) | Remote::Refreshing(got) | Remote::Failed { last: Some(got), .. } => Remote::Refreshing(got),
            Remote::Idle | Remote::Loading | Remote::Failed { last: None, .. } => Remote::Loading,
        };
    }

    /// Takes back [`Remote::start`].
    pub fn stop(&mut self) {
        *self = match std::mem::take(self) {
            Remote::Refreshing(got) => Remote::Ready(got),
            Remote::Loading => Remote::Idle,
            other => other,
        };
    }

    /// Takes an answer; `last` says that no more of this one follows.
    pub fn absorb(&mut self, answer: Result<Sourced<T>, Trouble>, last: bool) {
        *self = match answer {
            Ok(got) if last => Remote::Ready(got),
            Ok(got) => Remote::Refreshing(got),
            Err(trouble) => Remote::Failed {
                trouble,
                last: match std::mem::take(self) {
                    Remote::Ready(got) | Remote::Refreshing(got) => Some(got),
                    Remote::Failed { last, .. } => last,
                    Remote::Idle | Remote::Loading => None,
                },
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::trouble::TroubleKind;

    fn got(value: u8) -> Sourced<u8> {
        let source = Source { address: "/".into(), commit: None, read_at: Default::default(), digest: String::new() };
        Sourced { value, source }
    }

    #[test]
    fn a_failure_keeps_the_last_value_and_is_not_settled() {
        let mut remote = Remote::Idle;
        remote.start();
        assert!(remote.is_pending());
        remote.absorb(Ok(got(1)), false);
        assert_eq!((remote.value(), remote.settled().is_some()), (Some(&1), false));
        remote.absorb(Ok(got(2)), true);
        remote.start();
        remote.absorb(Err(Trouble::new(TroubleKind::Server, "x", "")), true);
        assert_eq!((remote.value(), remote.settled().is_some()), (Some(&2), false));
    }
}
