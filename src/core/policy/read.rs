//! What rules need read: the settled value, or the sentence that makes a finding unavailable.
//! Must not know: particular rules.

use super::{Context, Finding, ResultPolicy, Status};
use crate::core::evidence::Evidence;
use crate::core::facts::{DocumentKind, Facts};
use crate::core::listing::Listing;
use crate::core::plan::Read;
use crate::core::pull::Document;
use crate::core::remote::{Remote, Sourced};
use crate::core::trouble::TroubleKind;

/// A value that was read and is not being read again, or why there is none.
pub(super) fn settled<'a, T>(remote: Option<&'a Remote<T>>, what: &str) -> Result<&'a Sourced<T>, String> {
    let trouble = remote.and_then(Remote::trouble);
    remote.and_then(Remote::settled).ok_or_else(|| match trouble {
        Some(trouble) => format!("{what} cannot be read: {}", trouble.headline),
        None => format!("{what} is not read yet."),
    })
}

/// A list that was read to its end.
pub(super) fn whole<'a, T>(remote: &'a Remote<Listing<T>>, what: &str) -> Result<&'a Sourced<Listing<T>>, String> {
    let got = settled(Some(remote), what)?;
    match got.value.render_gap() {
        None => Ok(got),
        Some(gap) => Err(format!("{what} was not read whole: {gap}")),
    }
}

/// [`whole`] of a list that may not have been asked for.
pub(super) fn whole_if_any<'a, T>(
    remote: Option<&'a Remote<Listing<T>>>,
    what: &str,
) -> Result<&'a Sourced<Listing<T>>, String> {
    remote.map_or_else(|| Err(format!("{what} is not read yet.")), |remote| whole(remote, what))
}

/// The measured points of the run that a sign-off cites, once it has come to its end: a run that goes on has none yet.
pub(super) fn points_of_cited(context: &Context<'_>) -> Option<Read> {
    let ResultPolicy { artifact, parts } = context.policy.results.as_ref()?;
    let sweep = context.conclusions.validation().filter(|sweep| sweep.finished())?;
    Some(Read::Results { run: sweep.run.id, artifact: artifact.clone(), parts: parts.clone() })
}

/// A document of the default branch.
pub(super) fn document<'a>(facts: &'a Facts, kind: DocumentKind, what: &str) -> Result<&'a Sourced<Document>, String> {
    settled(facts.document(kind), what)
}

/// Whether something does not exist, which is a fact and no failure.
pub(super) fn is_absent<T>(remote: Option<&Remote<T>>) -> bool {
    remote.and_then(Remote::trouble).is_some_and(|trouble| trouble.kind == TroubleKind::NotFound)
}

/// A line of a document of the default branch, as evidence that can be opened.
pub(super) fn evidence(context: &Context<'_>, got: &Sourced<Document>, line: Option<usize>) -> Evidence {
    let branch = context.facts.repository.value().map_or("HEAD", |repository| repository.default_branch.as_str());
    let anchor = line.map(|line| format!("#L{line}")).unwrap_or_default();
    let place = line.map(|line| format!(" line {line}")).unwrap_or_default();
    let link = context.facts.page(&format!("blob/{branch}/{}{anchor}", got.value.path));
    Evidence::new("document", format!("{}{place}", got.value.path), Some(link), got.source.clone())
}

/// Something that the rule needs is not read.
pub(super) fn unavailable(key: &str, why: impl Into<String>) -> Finding {
    Finding::new(key, "", Status::Unavailable, why).in_brief("not read")
}

/// `a`, `a and b`, `a, b and 3 more`.
pub(super) fn several<S: AsRef<str>>(words: &[S]) -> String {
    match words {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [one, two] => format!("{} and {}", one.as_ref(), two.as_ref()),
        [one, two, rest @ ..] => format!("{}, {} and {} more", one.as_ref(), two.as_ref(), rest.len()),
    }
}
