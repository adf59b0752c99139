//! Rule `recipe`: the sign-off links a merged upstream recipe for what it measures. Which shapes of links count, and which
//! configs need one, is the policy's.
//! Must not know: how commands are read out of a recipe; `flags` puts its arguments beside ours, as signs and no more.

mod flags;

use super::launches::told;
use super::read::{settled, several, unavailable};
use super::{Context, Finding, Pattern, Policy, Status};
use crate::core::checklist::Template;
use crate::core::configs::Entry;
use crate::core::evidence::Evidence;
use crate::core::ids::{FileRef, PullNumber, PullRef, RepoName};
use crate::core::plan::Read;
use crate::core::pull::LinkedPull;
use crate::core::remote::Sourced;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const KEY: &str = "recipe";

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecipePolicy {
    /// Era → which changed configs need a link.
    pub needed: BTreeMap<String, Needed>,
    /// Repositories whose merged pull requests count.
    pub pulls: Vec<Upstream>,
    /// How files end in which upstream states commands; none: all may.
    pub endings: Vec<String>,
    /// Patterns of published pages and files that count as they are.
    pub pages: Vec<Pattern>,
    /// Patterns of links that look like recipes and do not count, with the reason.
    pub refused: Vec<Refused>,
}

/// Configs that need a recipe.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Needed {
    pub frameworks: Vec<String>,
    /// Of these: also those of several nodes.
    pub multi_node: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upstream {
    /// `owner/name`.
    pub repo: String,
    /// A changed path must begin with one of these; none: any path is a recipe's.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Where the pages' commands stand; none: below `paths`.
    #[serde(default)]
    pub texts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    pub pattern: Pattern,
    pub why: String,
}

impl RecipePolicy {
    /// What is wrong with it.
    pub(super) fn problems(&self) -> Vec<String> {
        let patterns = self.pages.iter().chain(self.refused.iter().map(|refused| &refused.pattern));
        let bad = patterns.filter_map(|pattern| Some(format!("`rules.recipe` holds no pattern: {}", pattern.problem()?)));
        let repos = self.pulls.iter().filter(|upstream| RepoName::parse(&upstream.repo).is_none());
        bad.chain(repos.map(|upstream| format!("`rules.recipe.pulls`: {} is no repository", upstream.repo))).collect()
    }
}

/// What a link in the sign-off is to the rule.
enum Link<'a> {
    Pull(PullRef, &'a Upstream),
    Page(String),
    Refused(String, &'a str),
}

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    let needing = needing(context);
    if needing.is_empty() {
        return;
    }
    let theirs: Vec<Read> = links(context)
        .into_iter()
        .filter_map(|link| match link {
            Link::Pull(pull, _) => Some(Read::Linked(pull)),
            Link::Page(url) => Some(Read::LinkedFile(file_of(&context.facts.web, &url)?)),
            Link::Refused(..) => None,
        })
        .collect();
    // Our side of the comparison.
    if !theirs.is_empty() {
        told::needs_of(context, flags::arms(context, &needing), reads);
    }
    reads.extend(theirs);
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|why| unavailable(KEY, why))
}

fn judge(context: &Context<'_>) -> Result<Finding, String> {
    let keys = &context.conclusions.keys;
    if let Some(doubt) = keys.doubt() {
        return Err(doubt);
    }
    let needing = needing(context);
    let Some(first) = needing.first() else {
        let reason = match keys.touched.first().or(keys.entries.first()) {
            Some(entry) => format!(
                "No changed config needs an upstream recipe: {} runs {}{}.",
                entry.key,
                entry.framework,
                if entry.multinode { " on several nodes" } else { "" }
            ),
            None => "No config changes.".to_owned(),
        };
        return Ok(Finding::new(KEY, "", Status::NotApplicable, reason).in_brief("none needed"));
    };
    if context.text.is_none() {
        return Err("There is no sign-off text yet.".to_owned());
    }
    let (mut wrong, mut unread, mut good) = (Vec::new(), Vec::new(), Vec::new());
    let (mut pulls, mut pages) = (Vec::new(), Vec::new());
    for link in links(context) {
        match link {
            Link::Page(url) => {
                good.push((
                    format!("published page {url}"),
                    Evidence::new("page", url.clone(), Some(url.clone()), text_source(context)),
                ));
                pages.push(url);
            }
            Link::Refused(url, why) => wrong.push((format!("{url} does not count: {why}"), None)),
            Link::Pull(pull, upstream) => match settled(context.facts.linked.get(&pull), &format!("{pull}")) {
                Err(why) => unread.push(why),
                Ok(got) => {
                    let evidence = pull_evidence(context, &pull, got);
                    match objection(&got.value, upstream) {
                        None => {
                            good.push((format!("{pull} is merged"), evidence));
                            pulls.push(pull);
                        }
                        Some(why) => wrong.push((format!("{pull} {why}"), Some(evidence))),
                    }
                }
            },
        }
    }
    let finding = |status, reason: String, evidence: Vec<Evidence>| Finding::new(KEY, "", status, reason).with(evidence);
    let remarks = |wrong: Vec<(String, Option<Evidence>)>| wrong.into_iter().map(|(why, _)| why);
    if let Some((what, _)) = good.first() {
        let beside = flags::beside(context, &needing, &pulls, &pages);
        let reason = format!("{what}; {}.", beside.told(&first.key));
        let brief = what.clone();
        let evidence = good.iter().map(|(_, evidence)| evidence.clone()).collect();
        let found = finding(Status::Pass, reason, evidence).in_brief(brief);
        return Ok(found.note(remarks(wrong)).note(unread).note(beside.notes));
    }
    if let Some(why) = unread.first() {
        return Ok(unavailable(KEY, why.clone()).note(remarks(wrong)));
    }
    let evidence = wrong.iter().filter_map(|(_, evidence)| evidence.clone()).collect();
    Ok(match wrong.first() {
        Some((why, _)) => {
            let why = why.clone();
            finding(Status::Fail, format!("{why}. {} needs a merged upstream recipe.", first.key), evidence)
                .in_brief("not a merged recipe")
                .note(remarks(wrong).skip(1))
        }
        None => {
            let repos: Vec<&str> = context.policy.rules.recipe.pulls.iter().map(|upstream| upstream.repo.as_str()).collect();
            let reason = format!(
                "No upstream recipe is linked: put the merged pull request of {} or the published page into the details.",
                several(&repos)
            );
            finding(Status::Fail, reason, evidence).in_brief("no recipe link")
        }
    })
}

/// Configs that came or changed, or that the changelog wants measured, and that need a recipe.
fn needing<'a>(context: &Context<'a>) -> Vec<&'a Entry> {
    let policy = context.policy.rules.recipe.needed.get(context.era);
    let keys = &context.conclusions.keys;
    let mut out: Vec<&Entry> = Vec::new();
    for entry in keys.touched.iter().chain(&keys.entries) {
        let needs = policy.is_some_and(|needed| {
            needed.frameworks.contains(&entry.framework) && (needed.multi_node || !(entry.multinode || entry.disagg))
        });
        if needs && !out.iter().any(|known| known.key == entry.key) {
            out.push(entry);
        }
    }
    out
}

/// Why a pull request is no merged recipe.
fn objection(pull: &LinkedPull, upstream: &Upstream) -> Option<String> {
    if pull.merged_at.is_none() {
        return Some(match (pull.state.as_str(), pull.draft) {
            ("open", true) => "is a draft".to_owned(),
            ("open", false) => "is open".to_owned(),
            _ => "was closed without a merge".to_owned(),
        });
    }
    let is_recipe =
        |path: &str| upstream.paths.is_empty() || upstream.paths.iter().any(|prefix| path.starts_with(prefix.as_str()));
    if pull.files.items.iter().any(|file| is_recipe(&file.path)) {
        return None;
    }
    if !pull.files.is_complete() {
        return Some("is merged, but not all its files could be read".to_owned());
    }
    Some(match pull.files.items.first() {
        Some(file) => format!(
            "changes engine code ({}) and no recipe below {}",
            crate::core::text::gate::line(&file.path),
            several(&upstream.paths)
        ),
        None => "changes no file".to_owned(),
    })
}

/// Every address in the text that the policy has a word for, each once.
fn links<'a>(context: &Context<'a>) -> Vec<Link<'a>> {
    let Some(text) = context.text else { return Vec::new() };
    links_in(context.policy, &context.facts.web, context.template, text)
}

/// Links of this text that may be a recipe's, none that the policy refuses; nothing says yet that they count.
pub(crate) fn candidates(policy: &Policy, web: &str, text: &str) -> Vec<Candidate> {
    let links = links_in(policy, web, None, text).into_iter();
    let found = links.filter_map(|link| match link {
        Link::Pull(pull, _) => Some(Candidate { url: format!("{web}/{}/pull/{}", pull.repo, pull.number), pull: Some(pull) }),
        Link::Page(url) => Some(Candidate { url, pull: None }),
        Link::Refused(..) => None,
    });
    found.collect()
}

/// A link that may be a recipe's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub url: String,
    /// Where it is a pull request's.
    pub pull: Option<PullRef>,
}

fn links_in<'a>(policy: &'a Policy, web: &str, template: Option<&Template>, text: &str) -> Vec<Link<'a>> {
    let policy = &policy.rules.recipe;
    // The template's own links say where recipes are found: they are nobody's evidence.
    let mut seen: Vec<&str> = template.map(|template| addresses(&template.text).collect()).unwrap_or_default();
    let mut out = Vec::new();
    for url in addresses(text) {
        if seen.contains(&url) {
            continue;
        }
        seen.push(url);
        if let Some(refused) = policy.refused.iter().find(|refused| refused.pattern.is_match(url)) {
            out.push(Link::Refused(url.to_owned(), &refused.why));
        } else if let Some((pull, upstream)) = upstream_pull(policy, web, url) {
            out.push(Link::Pull(pull, upstream));
        } else if policy.pages.iter().any(|page| page.is_match(url)) {
            out.push(Link::Page(url.to_owned()));
        }
    }
    out
}

/// `…/owner/name/blob/main/path` on the same host as the file that it shows.
fn file_of(web: &str, url: &str) -> Option<FileRef> {
    let whole = url.strip_prefix(web)?.strip_prefix('/')?.split(['?', '#']).next()?;
    let mut parts = whole.splitn(5, '/');
    let repo = RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?))?;
    (parts.next()? == "blob").then_some(())?;
    let (at, path) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    // What is written in another way than it is called is not asked for under another name.
    let plain =
        |text: &str| !text.is_empty() && !text.contains('%') && !text.split('/').any(|part| matches!(part, "" | "." | ".."));
    (plain(&at) && plain(&path)).then_some(FileRef { repo, at, path })
}

fn upstream_pull<'a>(policy: &'a RecipePolicy, web: &str, url: &str) -> Option<(PullRef, &'a Upstream)> {
    let mut parts = url.strip_prefix(web)?.strip_prefix('/')?.split(['/', '?', '#']);
    let repo = RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?))?;
    let upstream = policy.pulls.iter().find(|upstream| upstream.repo.eq_ignore_ascii_case(&repo.to_string()))?;
    (parts.next()? == "pull").then_some(())?;
    let number = PullNumber(parts.next()?.parse().ok()?);
    Some((PullRef { repo, number }, upstream))
}

/// https addresses as they stand in Markdown or in prose.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("https://").filter_map(move |(at, _)| {
        let rest = text.get(at..)?;
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | ']' | '"' | '`' | '|' | '<'))
            .unwrap_or(rest.len());
        Some(rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '*', '_', '\'']))
    })
}

fn pull_evidence(context: &Context<'_>, pull: &PullRef, got: &Sourced<LinkedPull>) -> Evidence {
    let link = format!("{}/{}/pull/{}", context.facts.web, pull.repo, pull.number);
    Evidence::new("linked", pull.to_string(), Some(link), got.source.clone())
}

/// A page is known by its address alone: the source is the pull request whose sign-off names it.
fn text_source(context: &Context<'_>) -> crate::core::evidence::Source {
    let known = context.facts.pull.known().map(|got| got.source.clone());
    known.unwrap_or_else(|| crate::core::evidence::Source {
        address: String::new(),
        commit: None,
        read_at: Default::default(),
        digest: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::scenario;
    use super::super::tests::finding;
    use super::*;

    fn says(name: &str, number: u64, details: &str) -> (Status, String) {
        let text = format!("words\n### Additional detail section:\n{details}\n");
        let (_, review) = scenario::review(name, number, Some(&text), |_| {});
        let found = finding(&review.findings, KEY);
        (found.status, found.reason.clone())
    }

    #[test]
    fn addresses_end_where_the_text_goes_on() {
        let text = "see [x](https://a/b?c=1#d), <https://e/f>. https://g/h; `https://i`, https://j.k.";
        assert_eq!(
            addresses(text).collect::<Vec<_>>(),
            ["https://a/b?c=1#d", "https://e/f", "https://g/h", "https://i", "https://j.k"]
        );
    }

    #[test]
    fn a_page_on_the_same_host_is_a_file() {
        let told = |url: &str| file_of("https://github.com", url).map(|file| format!("{file} at {}", file.at));
        let table = [
            ("https://github.com/o/r/blob/main/a/b.md#x", Some("o/r/a/b.md at main")),
            ("https://github.com/o/r/blob/main/a.md?plain=1", Some("o/r/a.md at main")),
            ("https://github.com/o/r/tree/main/a", None),
            ("https://github.com/o/r/blob/main", None),
            ("https://github.com/o/r/blob/main/../x", None),
            ("https://github.com/o/r/blob/main/a%2fb", None),
            ("https://github.example.org/o/r/blob/main/a.md", None),
        ];
        for (url, want) in table {
            assert_eq!(told(url).as_deref(), want, "{url}");
        }
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn links_of_every_kind() {
        use Status::{Fail, NotApplicable, Pass, Unavailable};
        let upstream = "https://github.com/sgl-project/sglang/pull/";
        let table = [
            ("2550-green", "nothing".to_owned(), Fail, "No upstream recipe is linked"),
            ("2550-green", format!("{upstream}36245"), Pass, "36245 is merged"),
            ("2550-green", format!("see ({upstream}36245/files)."), Pass, "36245 is merged"),
            ("2550-green", format!("{upstream}36300"), Fail, "is open"),
            ("2550-green", format!("{upstream}36301"), Fail, "closed without a merge"),
            ("2550-green", format!("{upstream}36400"), Fail, "engine code"),
            ("2550-green", format!("{upstream}99999"), Unavailable, "cannot be read"),
            ("2550-green", format!("{upstream}36300 and {upstream}36245"), Pass, "36245 is merged"),
            ("2550-green", "https://docs.sglang.io/cookbook/autoregressive/Qwen/Qwen3.5".to_owned(), Pass, "published page"),
            ("2550-green", "https://recipes.vllm.ai/Qwen/Qwen3.5".to_owned(), Pass, "published page"),
            ("2550-green", "https://github.com/sgl-project/sgl-cookbook/pull/3".to_owned(), Fail, "archived"),
            ("2550-green", "https://github.com/SemiAnalysisAI/InferenceX/pull/1916".to_owned(), Fail, "No upstream recipe"),
            ("2550-newest", format!("{upstream}36300"), Fail, "is open"),
        ];
        for (name, details, status, words) in table {
            let (found, reason) = says(name, 2550, &details);
            assert!(found == status && reason.contains(words), "{details}: {found:?} {reason}");
        }
        assert_eq!(says("2206", 2206, "").0, NotApplicable);
        assert_eq!(says("2462", 2462, "").0, NotApplicable);
        assert_eq!(says("2159", 2159, "").0, NotApplicable);
        for (name, number) in [("2313", 2313), ("2256", 2256), ("2349", 2349), ("2492", 2492), ("2610", 2610)] {
            assert_eq!(says(name, number, "none").0, Fail, "{name}");
        }
    }
}
