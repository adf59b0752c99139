//! Documents of the default branch, read once per text: rules look at them after every key.
//! Must not know: what follows from them.

use super::evals::Thresholds;
use super::evals::thresholds;
use super::facts::{DocumentKind, Facts};
use super::models::{self, Models};
use super::owners::{self, Owners};
use super::policy::{Policy, Stated, stated};
use super::remote::Remote;
use super::yaml::Problem;
use std::sync::Arc;

/// What was read; `None` while the document is not here.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Documents {
    bars: Kept<Result<Thresholds, Problem>>,
    owners: Kept<Owners>,
    models: Kept<Models>,
    verifier: Kept<Vec<Stated>>,
}

/// With the path and the digest of its text.
type Kept<T> = Option<((String, String), Arc<T>)>;

impl Documents {
    pub fn draw(policy: &Policy, facts: &Facts) -> Documents {
        Documents::default().redraw(policy, facts)
    }

    /// Draws them anew, and takes over those whose text is the same.
    pub fn redraw(&self, policy: &Policy, facts: &Facts) -> Documents {
        use DocumentKind as Kind;
        Documents {
            bars: kept(&self.bars, facts, Kind::Thresholds, thresholds::parse),
            owners: kept(&self.owners, facts, Kind::Owners, owners::parse),
            models: policy
                .models
                .as_ref()
                .and_then(|words| kept(&self.models, facts, Kind::Models, |path, text| models::parse(words, path, text))),
            verifier: kept(&self.verifier, facts, Kind::Verifier, |_, text| stated(text)),
        }
    }

    /// The bars of eval scores, or what is wrong with their file.
    pub fn bars(&self) -> Option<&Result<Thresholds, Problem>> {
        self.bars.as_ref().map(|(_, bars)| &**bars)
    }

    pub fn owners(&self) -> Option<&Owners> {
        self.owners.as_ref().map(|(_, owners)| &**owners)
    }

    pub fn models(&self) -> Option<&Models> {
        self.models.as_ref().map(|(_, models)| &**models)
    }

    /// The checks that the verifier names.
    pub fn verifier(&self) -> Option<Arc<Vec<Stated>>> {
        self.verifier.as_ref().map(|(_, stated)| Arc::clone(stated))
    }
}

fn kept<T>(before: &Kept<T>, facts: &Facts, kind: DocumentKind, read: impl FnOnce(&str, &str) -> T) -> Kept<T> {
    let got = facts.document(kind).and_then(Remote::settled)?;
    let from = (got.value.path.clone(), got.source.digest.clone());
    match before {
        Some((known, value)) if *known == from => Some((from, Arc::clone(value))),
        _ => Some((from, Arc::new(read(&got.value.path, &got.value.text)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::sample::World;

    #[test]
    fn a_text_is_read_once_and_another_one_anew() {
        let policy = policy();
        let mut facts = World::new().opened(&policy);
        let before = Documents::draw(&policy, &facts);
        let after = before.redraw(&policy, &facts);
        let same = |one: &Documents, other: &Documents| Arc::ptr_eq(&one.verifier().unwrap(), &other.verifier().unwrap());
        assert!(same(&before, &after) && before.bars().is_some_and(Result::is_ok));
        let Some(Remote::Ready(got)) = facts.documents.get_mut(&DocumentKind::Verifier) else { panic!() };
        got.value.text = "## Check 7 — Something else\n".to_owned();
        got.source.digest = "another".to_owned();
        let changed = after.redraw(&policy, &facts);
        assert!(!same(&after, &changed));
        assert_eq!(changed.verifier().unwrap().iter().map(|stated| stated.number).collect::<Vec<_>>(), [7]);
        facts.documents.get_mut(&DocumentKind::Verifier).unwrap().start();
        assert_eq!(changed.redraw(&policy, &facts).verifier(), None, "what is read again is not known now");
    }
}
