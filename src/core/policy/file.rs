//! The policy file's text, read and checked.
//! Must not know: where the file lies, what a rule does.

use super::history::HistoryPolicy;
use super::launches::LaunchRules;
use super::{
    CheckPolicy, ConfigPolicy, EraPolicy, EvalPolicy, ItemPolicy, Policy, RULES, ResultPolicy, RulePolicies, SignoffPolicy,
    SweepPolicy, items,
};
use crate::core::errand::ErrandPolicy;
use crate::core::facts::DocumentKind;
use crate::core::ids::Key;
use crate::core::launch::LaunchPolicy;
use crate::core::models::ModelPolicy;
use crate::core::verdict::{Grammar, VerdictPolicy};
use crate::core::yaml::{self, Problem};
use serde::Deserialize;
use serde_yaml::Spanned;
use std::collections::{BTreeMap, HashMap};

/// The format that this version reads.
pub const SCHEMA: u32 = 1;

/// [`Policy`], with the places that problems are told by.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Read by `overlay`; known here so that every file may say it.
    #[serde(default)]
    #[allow(dead_code)]
    inherits: Inherits,
    schema: Spanned<u32>,
    name: String,
    documents: Spanned<BTreeMap<DocumentKind, Vec<String>>>,
    signoff: Spanned<SignoffPolicy>,
    history: Option<Spanned<HistoryPolicy>>,
    verdicts: Option<Spanned<VerdictPolicy>>,
    sweep: Option<Spanned<SweepPolicy>>,
    evals: Option<Spanned<EvalPolicy>>,
    results: Option<Spanned<ResultPolicy>>,
    configs: Option<Spanned<ConfigPolicy>>,
    #[serde(default)]
    eras: Vec<Spanned<EraPolicy>>,
    checks: Vec<Spanned<CheckPolicy>>,
    #[serde(default)]
    rules: RulePolicies,
    launch: Option<Spanned<LaunchPolicy>>,
    launch_rules: Option<Spanned<LaunchRules>>,
    items: Vec<Spanned<ItemPolicy>>,
    models: Option<Spanned<ModelPolicy>>,
    errands: Option<Spanned<ErrandPolicy>>,
}

/// What a file is laid over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Inherits {
    #[default]
    BuiltIn,
    None,
}

/// Reads a policy file that is whole by itself.
///
/// # Errors
/// What cannot be read stops at the first problem: not YAML, an unknown key, a missing one. What can be read but not used
/// is told whole: an unknown schema, an empty list, a repeated key or phrase, a rule that does not exist.
pub fn parse(file: &str, text: &str) -> Result<Policy, Vec<Problem>> {
    let raw: File = yaml::parse(file, text).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let mut say = |line: u64, message: String| {
        problems.push(Problem::new(file, usize::try_from(line).unwrap_or_default(), message));
    };
    if raw.schema.value != SCHEMA {
        say(
            raw.schema.referenced.line(),
            format!("schema {} is not known; this version reads schema {SCHEMA}", raw.schema.value),
        );
    }
    // The template is what the program is about; a repository may do without the other documents.
    if !raw.documents.value.contains_key(&DocumentKind::Checklist) {
        say(raw.documents.referenced.line(), "`documents` names no path for `checklist`".to_owned());
    }
    for (kind, paths) in &raw.documents.value {
        if paths.is_empty() {
            say(raw.documents.referenced.line(), format!("`documents.{}` names no path", kind.word()));
        }
    }
    let signoff = &raw.signoff.value;
    let texts = [
        ("trigger", &signoff.trigger),
        ("section", &signoff.section),
        ("detail", &signoff.detail),
        ("login_placeholder", &signoff.login_placeholder),
        ("detail_placeholder", &signoff.detail_placeholder),
    ];
    for (key, text) in texts {
        if text.trim().is_empty() {
            say(raw.signoff.referenced.line(), format!("`signoff.{key}` is empty"));
        }
    }
    for era in signoff.only_one_in.iter().filter(|era| !raw.eras.iter().any(|known| known.value.name == **era)) {
        say(raw.signoff.referenced.line(), format!("`signoff.only_one_in` speaks of an era `{era}` that is not in `eras`"));
    }
    if let Some(history) = &raw.history {
        history.value.problems().into_iter().for_each(|message| say(history.referenced.line(), message));
    }
    if let Some(verdicts) = &raw.verdicts
        && let Err(wrong) = Grammar::of(&verdicts.value)
    {
        wrong.into_iter().for_each(|message| say(verdicts.referenced.line(), message));
    }
    if let Some(models) = &raw.models {
        models.value.problems().into_iter().for_each(|message| say(models.referenced.line(), message));
    }
    for sweep in raw.sweep.iter().filter(|sweep| sweep.value.workflows.is_empty()) {
        say(sweep.referenced.line(), "`sweep.workflows` names no workflow file".to_owned());
    }
    for evals in raw.evals.iter().filter(|evals| !(0.0..=1.0).contains(&evals.value.fallback)) {
        say(evals.referenced.line(), "`evals.fallback` is not between 0 and 1".to_owned());
    }
    for results in raw.results.iter() {
        let parts = results.value.parts.as_deref();
        if results.value.artifact.is_empty() || parts.is_some_and(str::is_empty) {
            say(results.referenced.line(), "`results` names an artifact by no letter".to_owned());
        }
    }
    let pareto = raw.rules.pareto.iter().flat_map(|pareto| pareto.problems());
    for message in raw.rules.reuse.problems().into_iter().chain(raw.rules.recipe.problems()).chain(pareto) {
        say(0, message);
    }
    // A rule without what it judges by would find nothing wrong.
    let sections = [
        ("sweep", "sweep", raw.sweep.is_some()),
        ("evals", "evals", raw.evals.is_some()),
        ("deprecated", "models", raw.models.is_some()),
        ("pareto", "results", raw.results.is_some()),
        ("pareto", "rules.pareto", raw.rules.pareto.is_some()),
    ];
    for (key, section, there) in sections {
        for check in raw.checks.iter().filter(|check| !there && check.value.key.as_str() == key) {
            say(check.referenced.line(), format!("the check `{key}` needs the section `{section}`"));
        }
    }
    let mut known: HashMap<&Key, u64> = HashMap::new();
    for check in &raw.checks {
        let (line, check) = (check.referenced.line(), &check.value);
        if !RULES.iter().any(|rule| rule.key == check.key.as_str()) {
            say(line, format!("the rule `{}` does not exist; there are {}", check.key, rule_names()));
        }
        if let Some(first) = known.insert(&check.key, line) {
            say(line, format!("the check `{}` stands here again, after line {first}", check.key));
        }
        for era in check.only_warns.iter().filter(|era| !raw.eras.iter().any(|known| known.value.name == **era)) {
            say(line, format!("the check `{}` speaks of an era `{era}` that is not in `eras`", check.key));
        }
    }
    for era in &raw.eras {
        for key in era.value.known_by.iter().filter(|key| !known.contains_key(key)) {
            say(
                era.referenced.line(),
                format!("the era `{}` is known by a check `{key}` that is not in `checks`", era.value.name),
            );
        }
    }
    if let Some(section) = &raw.configs {
        let (configs, line) = (&section.value, section.referenced.line());
        for (index, era) in configs.eval_eras.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|index| configs.eval_eras.get(index));
            // The first reaches back without end; every later one begins after the one before it.
            let ordered = before.map_or(era.since.is_none(), |before| era.since > before.since);
            if !ordered {
                let message = format!("`configs.eval_eras`: era {} is out of order; only the first has no `since`", index + 1);
                say(line, message);
            }
            if era.least_conc == 0 {
                say(line, format!("`configs.eval_eras`: era {} evaluates at no concurrency", index + 1));
            }
        }
        if configs.eval_eras.is_empty() {
            say(line, "`configs.eval_eras` says for no day what is evaluated".to_owned());
        }
    }
    if let Some(launch) = &raw.launch {
        launch.value.problems().into_iter().for_each(|problem| say(launch.referenced.line(), problem));
    }
    if let Some(errands) = &raw.errands {
        let problems = errands.value.problems(&raw.rules.merge.sweep_labels);
        problems.into_iter().for_each(|problem| say(errands.referenced.line(), problem));
    }
    if let Some(rules) = &raw.launch_rules {
        rules.value.problems().into_iter().for_each(|problem| say(rules.referenced.line(), problem));
    }
    let mut keys = HashMap::new();
    let mut phrases = HashMap::new();
    for item in &raw.items {
        let (line, item) = (item.referenced.line(), &item.value);
        if let Some(first) = keys.insert(item.key.clone(), line) {
            say(line, format!("the item `{}` stands here again, after line {first}", item.key));
        }
        if item.phrases.is_empty() {
            say(line, format!("the item `{}` has no phrase to be known by", item.key));
        }
        for phrase in &item.phrases {
            let words = items::normalise(phrase);
            if words.is_empty() {
                say(line, format!("a phrase of the item `{}` holds no word", item.key));
            } else if let Some(first) = phrases.insert(words, item.key.clone()) {
                say(line, format!("the phrase `{phrase}` stands for `{first}` already"));
            }
        }
        for rule in &item.rules {
            if !known.contains_key(rule) {
                say(line, format!("no check `{rule}` stands in `checks`; the rules are {}", rule_names()));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Policy {
        schema: raw.schema.value,
        name: raw.name,
        documents: raw.documents.value,
        signoff: raw.signoff.value,
        history: raw.history.map(|section| section.value).unwrap_or_default(),
        verdicts: raw.verdicts.map(|section| section.value),
        sweep: raw.sweep.map(|section| section.value).unwrap_or_default(),
        evals: raw.evals.map(|section| section.value).unwrap_or_default(),
        results: raw.results.map(|section| section.value),
        configs: raw.configs.map(|section| section.value).unwrap_or_default(),
        eras: raw.eras.into_iter().map(|era| era.value).collect(),
        checks: raw.checks.into_iter().map(|check| check.value).collect(),
        rules: raw.rules,
        launch: raw.launch.map(|section| section.value),
        launch_rules: raw.launch_rules.map(|section| section.value),
        items: raw.items.into_iter().map(|item| item.value).collect(),
        models: raw.models.map(|section| section.value),
        errands: raw.errands.map(|section| section.value).unwrap_or_default(),
    })
}

fn rule_names() -> String {
    RULES.iter().map(|rule| rule.key).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::TEXT;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bundled_file_is_whole() {
        let policy = parse("p.yaml", TEXT).unwrap();
        assert_eq!((policy.schema, policy.items.len()), (1, 17));
        let unanswered: Vec<&str> =
            policy.items.iter().filter(|item| item.rules.is_empty()).map(|item| item.key.as_str()).collect();
        assert_eq!(unanswered, ["code_quality", "exceptions_reasoned"], "a person judges these");
        assert!(RULES.iter().all(|rule| policy.checks.iter().filter(|check| check.key.as_str() == rule.key).count() == 1));
        let links: Vec<&str> = policy.items.iter().filter(|item| item.link.is_some()).map(|item| item.key.as_str()).collect();
        assert_eq!(links, ["pr_validation", "evals"]);
        assert_eq!(policy.sweep.framework_aliases.get("sgl").map(String::as_str), Some("sglang"));
    }

    #[test]
    fn problems_name_file_and_line() {
        let line_of = |needle: &str| TEXT.lines().position(|line| line.contains(needle)).unwrap() + 1;
        let table = [
            ("schema: 1", "schema: 2", "schema: 1", "schema 2 is not known"),
            ("name: inferencex", "nam: inferencex", "name: inferencex", "nam"),
            ("    short: code quality", "    shorts: code quality", "    short: code quality", "shorts"),
            ("  fallback: 0.85", "  fallback: 85", "  artifact:", "fallback"),
            ("  fallback: 0.85", "  fallback: high", "  fallback: 0.85", ""),
            ("key: code_quality", "key: pareto_count", "key: pareto_count", "stands here again"),
            ("key: siblings", "key: sweep", "key: siblings", "stands here again"),
            ("key: siblings", "key: sibling", "key: siblings", "does not exist; there are codeowner"),
            ("only_warns: [autumn]", "only_warns: [spring]", "key: reuse", "speaks of an era `spring`"),
            ("only_one_in: [autumn]", "only_one_in: [winter]", "trigger:", "an era `winter` that is not in `eras`"),
            ("known_by: [pareto]", "known_by: [paretos]", "name: autumn", "known by a check `paretos`"),
            ("rules: [sweep]", "rules: [swep]", "key: pr_validation", "no check `swep`"),
            ("phrases: [pareto counts]", "phrases: []", "key: pareto_count", "no phrase"),
            ("phrases: [pareto counts]", "phrases: ['…']", "key: pareto_count", "no word"),
            ("phrases: [pareto counts]", "phrases: [Uses append-only]", "key: pareto_count", "`append_only` already"),
            ("    - since: 2026-08-16", "    - since: null", "configs:", "era 3 is out of order"),
            ("    - since: 2026-09-20", "    - since: 2026-08-16", "configs:", "era 4 is out of order"),
            ("      least_conc: 16", "      least_conc: 0", "configs:", "era 1 evaluates at no concurrency"),
            ("    - since: 2026-08-16", "    - since: soon", "- since: 2026-08-16", "invalid characters"),
            ("section: Template", "section: ''", "trigger:", "`signoff.section` is empty"),
            ("    section: Model support matrix", "    section: ''", "  matrix:", "`models.matrix.section` is empty"),
            ("    - Klaud-Cold\n    - github-actions[bot]\n", "    []\n", "publishers:", "`verdicts.publishers` is empty"),
            ("{sku}_{framework}{spec}.sh", "{sku}_{engine}{spec}.sh", "    roots:", "unknown field"),
            ("      - begins: recipes/", "      - begin: recipes/", "      - begins: recipes/", "begin"),
            ("    warning: 0.8", "    warning: 0.4", "launch_rules:", "notice ≤ warning"),
            (
                "    flags: [use-chat-template, dsv4]",
                "    flags: []",
                "launch_rules:",
                "`launch_rules.chat_template.flags` is empty",
            ),
            (
                "    - name: all-evals",
                "    - name: evals-only",
                "change the sweep of the label beside them",
                "evals-only stands there twice",
            ),
            (
                "      summer: { comment_url: \"{comment}\" }",
                "      summer: { comment_url: it }",
                "change the sweep of the label beside them",
                "names no sign-off",
            ),
            ("    - commit: ce4854ade", "    - commit: e788604cb", "  wordings:", "`e788604cb` is empty or stands there twice"),
            ("      day: 2026-07-14", "      day: 2026-09-14", "  wordings:", "b4be78a29 is out of order"),
            ("      day: 2026-07-14", "      day: July", "day: 2026-07-14", "neither a day"),
            ("items: [code_quality, pr_validation, evals, engine_first, ", "it: [", "- commit: 9e19367cf", "unknown field"),
            (
                "{ commit: fe97916ff, day: 2026-06-22 }",
                "{ commit: fe97916ff, day: 2026-06-22, items: [evals 3] }",
                "  wordings:",
                "has `evals 3`, which",
            ),
            (
                "{ commit: fe97916ff, day: 2026-06-22 }",
                "{ commit: fe97916ff, day: 2026-06-22, items: [evals x] }",
                "fe97916ff",
                "is no item of a version",
            ),
            ("    append_only: [73-", "    append_only: [7x-", "    append_only: [73", "is no number of words"),
            ("    - [use-chat-template, dsv4]", "    - [use_chat_template]", "script or recipe lies", "without leading dashes"),
        ];
        for (from, to, place, want) in table {
            let problems = parse("p.yaml", &TEXT.replace(from, to)).unwrap_err();
            let problem = &problems[0];
            assert!(problem.message.contains(want), "{to}: {problem}");
            assert!(line_of(place).abs_diff(problem.line) <= 2, "{to}: {problem}, not near {}", line_of(place));
        }
    }

    /// Nothing but the policy is about benchmarks: an ordinary repository's checklist is signed by the same program.
    #[test]
    fn an_ordinary_repository_needs_nothing_but_its_policy() {
        use crate::core::facts::{DocumentKind, Facts};
        use crate::core::plan::{self, Answer, Read};
        use crate::core::policy::Status;
        use crate::core::review::Review;
        use crate::core::sample::World;
        use crate::core::session::Draft;
        let policy = parse("ordinary.yaml", include_str!("../../../assets/policies/ordinary.yaml")).unwrap();
        let page = "# Review\n\n## Checklist\n\nI have reviewed this change:\n- [ ] It is covered by tests\n- [ ] This is the newest checklist\n\n\
                    ### Notes\n- anything worth knowing\n\nSigned: YOUR_LOGIN\n";
        let world = World::new();
        let mut facts: Facts = world.facts();
        let draft = Draft::new("h", facts.repo.clone(), facts.number);
        let mut review = Review::draw(&policy, &facts, &draft, None);
        loop {
            let due = plan::due(&facts, &policy, &review.needs);
            if due.is_empty() {
                break;
            }
            assert!(
                !due.iter().any(|read| matches!(read, Read::Jobs(_) | Read::Evals { .. } | Read::Artifacts { .. })),
                "{due:?}"
            );
            plan::start(&mut facts, &due);
            for read in due {
                let mut reply = world.reply(read);
                if let (Read::Document { kind: DocumentKind::Checklist, .. }, Ok((Answer::Document(document), _))) =
                    (&reply.read, &mut reply.answer)
                {
                    document.text = page.to_owned();
                }
                plan::absorb(&mut facts, reply);
            }
            review = review.redraw(&policy, &facts, &draft, None);
        }
        let said: Vec<(&str, Status)> = review.findings.iter().map(|found| (found.key.as_str(), found.status)).collect();
        assert_eq!(said, [("codeowner", Status::Pass), ("template", Status::NeedsYou)], "no item is ticked yet");
        let text = &review.signed().unwrap().rendered.text;
        assert!(text.starts_with("I have reviewed this change:") && text.contains("Signed: nv-owner-1"), "{text}");
    }

    #[test]
    fn all_problems_at_once() {
        let text = TEXT
            .replace("schema: 1", "schema: 7")
            .replace("rules: [sweep]", "rules: [x]")
            .replace("fallback: 0.85", "fallback: 2");
        assert_eq!(parse("p.yaml", &text).unwrap_err().len(), 3);
    }

    proptest! {
        #[test]
        fn a_cut_file_is_refused_and_never_panics(at in 0usize..6000) {
            let at = (0..=at.min(TEXT.len())).rev().find(|at| TEXT.is_char_boundary(*at)).unwrap();
            let _ = parse("p", &TEXT[..at]);
        }
    }
}
