//! Which model runs which scenario until which day, by the repository's page about models.
//! Must not know: where the page lies, which configs a pull request changes.

mod document;
mod table;

use super::policy::normalise;
use super::yaml::Problem;
use chrono::NaiveDate;
use document::{About, Ending, Model, Only, Scenario};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The policy's section about the page: headings, columns and phrases that it is read by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPolicy {
    pub matrix: MatrixPolicy,
    pub scenarios: ScenarioPolicy,
    pub notices: NoticePolicy,
    /// Scenario key → how the page calls it.
    pub phrases: BTreeMap<String, String>,
    /// Words that are precisions.
    pub precisions: Vec<String>,
    /// Words of configs for speculative decoding by whatever method.
    pub any_method: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixPolicy {
    pub section: String,
    /// Columns.
    pub class: String,
    pub prefix: String,
    pub active: String,
    pub deprecated: String,
    /// What the active scenarios of a retired model begin with: a word, or a sign.
    pub none: Vec<String>,
    /// Before the only precisions.
    pub limit: String,
    /// Behind the only speculative method, and behind the only precisions.
    pub only: String,
    /// Between `only` and the first day on which no other method runs.
    pub from: String,
    /// Before the last day of a scenario, in its parenthesis.
    pub until: String,
    /// Before the last day of the whole model.
    pub closes: String,
    /// A parenthesis with one of these phrases announces something that is not so yet.
    pub pending: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioPolicy {
    pub section: String,
    /// Columns.
    pub name: String,
    pub status: String,
    /// What a status begins with.
    pub active: String,
    pub deprecated: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoticePolicy {
    pub section: String,
    /// How the heading writes the last day that is allowed, in chrono's signs.
    pub date: String,
    /// Behind that day, in prose.
    pub last_day: String,
    /// Columns: the model, what ends for it, and the arm without speculative decoding that ends.
    pub model: String,
    pub ends: Vec<String>,
    pub arms: Vec<String>,
    /// Phrases below a table that is not carried out.
    pub pending: Vec<String>,
}

impl ModelPolicy {
    /// What is empty in it and must not be.
    pub fn problems(&self) -> Vec<String> {
        let (matrix, scenarios, notices) = (&self.matrix, &self.scenarios, &self.notices);
        let texts = [
            ("matrix.section", &matrix.section),
            ("matrix.class", &matrix.class),
            ("matrix.prefix", &matrix.prefix),
            ("matrix.active", &matrix.active),
            ("matrix.deprecated", &matrix.deprecated),
            ("matrix.limit", &matrix.limit),
            ("matrix.only", &matrix.only),
            ("matrix.from", &matrix.from),
            ("matrix.until", &matrix.until),
            ("matrix.closes", &matrix.closes),
            ("scenarios.section", &scenarios.section),
            ("scenarios.name", &scenarios.name),
            ("scenarios.status", &scenarios.status),
            ("scenarios.active", &scenarios.active),
            ("scenarios.deprecated", &scenarios.deprecated),
            ("notices.section", &notices.section),
            ("notices.date", &notices.date),
            ("notices.last_day", &notices.last_day),
            ("notices.model", &notices.model),
        ];
        let lists = [
            ("matrix.pending", matrix.pending.iter().collect::<Vec<_>>()),
            ("notices.ends", notices.ends.iter().collect()),
            ("notices.arms", notices.arms.iter().collect()),
            ("notices.pending", notices.pending.iter().collect()),
            ("phrases", self.phrases.values().collect()),
            ("precisions", self.precisions.iter().collect()),
            ("any_method", self.any_method.iter().collect()),
        ];
        let wordless = |text: &String| normalise(text).is_empty();
        let texts = texts.into_iter().filter(|(_, text)| wordless(text)).map(|(key, _)| key);
        let none = matrix.none.is_empty() || matrix.none.iter().any(|text| text.trim().is_empty());
        let texts = texts.chain(none.then_some("matrix.none"));
        let lists = lists.into_iter().filter(|(_, list)| list.is_empty() || list.iter().any(|text| wordless(text)));
        texts.chain(lists.map(|(key, _)| key)).map(|key| format!("`models.{key}` is empty")).collect()
    }
}

/// The page, read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Models {
    models: Vec<Model>,
    scenarios: Vec<Scenario>,
    endings: Vec<Ending>,
    /// What could not be understood: what it is about is not called allowed.
    pub problems: Vec<Problem>,
    /// What each problem is about.
    abouts: Vec<About>,
}

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked<'a> {
    pub prefix: &'a str,
    /// A key of the policy's phrases.
    pub scenario: &'a str,
    pub precision: &'a str,
    /// The config's word; `None` or `none`: without speculative decoding.
    pub spec: Option<&'a str>,
}

/// Whether a point may be submitted on a day.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "support")]
pub enum Support {
    Allowed {
        /// Of the page.
        line: usize,
        /// Its last day, if the page ends it.
        last: Option<NaiveDate>,
        /// What a reviewer should know all the same.
        notes: Vec<String>,
    },
    Deprecated {
        why: String,
        /// The first day on which it is, if the page tells.
        since: Option<NaiveDate>,
        line: usize,
    },
    Unknown {
        why: String,
    },
}

/// Reads the page.
pub fn parse(policy: &ModelPolicy, file: &str, text: &str) -> Models {
    document::parse(policy, file, text)
}

impl Models {
    /// Decides. A notice outranks the matrix, which may run ahead of it or behind: its last day is allowed, the next is not.
    pub fn support(&self, policy: &ModelPolicy, asked: Asked<'_>, day: NaiveDate) -> Support {
        match self.decide(policy, asked, day) {
            Support::Allowed { line, notes, last } => {
                let odd = self.problems.iter().zip(&self.abouts).filter(|(_, about)| self.concerns(about, asked));
                let places: Vec<String> = odd.map(|(problem, _)| problem.to_string()).collect();
                match places.is_empty() {
                    true => Support::Allowed { line, notes, last },
                    false => unknown(format!("The page is not understood there: {}.", places.join("; "))),
                }
            }
            // What ends by the row that is not understood may not end.
            Support::Deprecated { line, .. } if self.problems.iter().any(|problem| problem.line == line) => {
                let odd = self.problems.iter().find(|problem| problem.line == line);
                unknown(format!("The page is not understood there: {}.", odd.map(Problem::to_string).unwrap_or_default()))
            }
            decided => decided,
        }
    }

    fn concerns(&self, about: &About, asked: Asked<'_>) -> bool {
        match about {
            About::Everything => true,
            About::Scenario(key) => key == asked.scenario,
            About::Models(prefixes) => {
                let is = |prefix: &str| prefixes.iter().any(|own| own.eq_ignore_ascii_case(prefix));
                is(asked.prefix) || self.model(asked.prefix).is_some_and(|model| prefixes.iter().any(|own| model.is(own)))
            }
        }
    }

    /// The row that lists a prefix, else the one whose class implies it.
    fn model(&self, prefix: &str) -> Option<&Model> {
        let listed = |model: &&Model| model.prefixes.iter().any(|own| own.eq_ignore_ascii_case(prefix));
        self.models.iter().find(listed).or_else(|| self.models.iter().find(|model| model.is(prefix)))
    }

    fn decide(&self, policy: &ModelPolicy, asked: Asked<'_>, day: NaiveDate) -> Support {
        let Asked { prefix, scenario, precision, .. } = asked;
        let Some(model) = self.model(prefix) else { return unknown(format!("The support matrix does not name {prefix}.")) };
        let Some(phrase) = policy.phrases.get(scenario) else {
            return unknown(format!("The scenario {scenario} is none that the page is known to speak of."));
        };
        let spec = asked.spec.filter(|spec| !spec.eq_ignore_ascii_case("none"));
        let mut notes = Vec::new();
        let mut last: Option<NaiveDate> = None;
        let mut until = |day: NaiveDate| last = Some(last.map_or(day, |known| known.min(day)));
        let endings: Vec<&Ending> = self.endings.iter().filter(|ending| ending.touches(model, asked, spec)).collect();
        for ending in &endings {
            if day <= ending.last {
                until(ending.last);
            } else if ending.pending && ending.without_spec {
                notes.push("The page retires its arm without speculative decoding, but has not carried that out.".to_owned());
            } else if ending.pending {
                return unknown(format!(
                    "Its last day was {}, but the page says that this is not carried out yet.",
                    ending.last
                ));
            } else {
                let why = format!("{} {phrase} had its last day on {}.", model.class, ending.last);
                return Support::Deprecated { why, since: ending.last.succ_opt(), line: ending.line };
            }
        }
        notes.dedup();
        let held =
            |of: fn(&Ending) -> bool| endings.iter().any(|ending| day <= ending.last && !ending.without_spec && of(ending));
        // A notice whose last day has not passed names it: it runs, whatever the matrix says already.
        let scenario_held = held(|ending| !ending.scenarios.is_empty());
        if let Some(closes) = model.closes {
            if day > closes && !scenario_held {
                let why = format!("{} had its last day on {closes}.", model.class);
                return Support::Deprecated { why, since: closes.succ_opt(), line: model.line };
            }
            until(closes);
        }
        if let Some(since) = model.retired {
            return match since {
                _ if scenario_held => Support::Allowed { line: model.line, notes, last },
                Some(since) if day < since => {
                    unknown(format!("{} was retired on {since}; the page does not say what ran before.", model.class))
                }
                _ => Support::Deprecated { why: format!("{} is retired.", model.class), since, line: model.line },
            };
        }
        let Some(row) = self.scenarios.iter().find(|row| row.key == scenario) else {
            return unknown(format!("The table of scenarios does not name {phrase}."));
        };
        match row.deprecated {
            Some(_) if row.excepts(model) => {
                return unknown(format!("{phrase} is deprecated, with words about {} in line {}.", model.class, row.line));
            }
            Some(Some(since)) if day < since => {
                return unknown(format!("{phrase} is deprecated since {since}; the page does not say what ran before."));
            }
            Some(since) => {
                return Support::Deprecated { why: format!("{phrase} is deprecated."), since, line: row.line };
            }
            None => {}
        }
        let Some(active) = model.active.iter().find(|active| active.scenario == scenario) else {
            let ended = model.ended.iter().find(|(ended, _)| ended == scenario).and_then(|(_, day)| *day);
            return match ended {
                _ if scenario_held => Support::Allowed { line: model.line, notes, last },
                Some(ended) if day < ended => {
                    unknown(format!("{phrase} was removed on {ended}; the page does not say until when it was allowed."))
                }
                since => {
                    let why = format!("{phrase} is not among the active scenarios of {}.", model.class);
                    Support::Deprecated { why, since, line: model.line }
                }
            };
        };
        if let Some(end) = active.until {
            if day > end && !scenario_held {
                let why = format!("{} {phrase} had its last day on {end}.", model.class);
                return Support::Deprecated { why, since: end.succ_opt(), line: model.line };
            }
            until(end);
        }
        if let Some(limit) = &model.precisions
            && !limit.iter().any(|own| own.eq_ignore_ascii_case(precision))
            && !held(|ending| !ending.precisions.is_empty())
        {
            let why = format!("{} is limited to {}, and this is {precision}.", model.class, limit.join("/"));
            return Support::Deprecated { why, since: None, line: model.line };
        }
        // A dated limit may name the same day as a notice, whose last day is still allowed.
        let arm_held = endings.iter().any(|ending| ending.without_spec && day <= ending.last);
        let binds = |only: &&Only| only.from.is_none_or(|from| from <= day && !arm_held);
        if let Some(Only { method: only, .. }) = active.only.as_ref().filter(binds) {
            match spec {
                Some(spec) if normalise(spec) == *only => {}
                Some(spec) if policy.any_method.iter().any(|any| any.eq_ignore_ascii_case(spec)) => {
                    notes.push(format!("It runs with {only} only; the config's word {spec} does not say which method it is."));
                }
                spec => {
                    let this = spec.map_or_else(|| "runs without".to_owned(), |spec| format!("runs {spec}"));
                    let why = format!("{} {phrase} runs with {only} only, and this {this}.", model.class);
                    return Support::Deprecated { why, since: None, line: model.line };
                }
            }
        }
        Support::Allowed { line: model.line, notes, last }
    }
}

fn unknown(why: String) -> Support {
    Support::Unknown { why }
}

impl Ending {
    /// Whether this is about the point.
    fn touches(&self, model: &Model, asked: Asked<'_>, spec: Option<&str>) -> bool {
        let any = |list: &[String], word: &str| list.is_empty() || list.iter().any(|own| own.eq_ignore_ascii_case(word));
        self.prefixes.iter().any(|prefix| model.is(prefix))
            && any(&self.scenarios, asked.scenario)
            && any(&self.precisions, asked.precision)
            && (!self.without_spec || spec.is_none())
    }
}

impl Scenario {
    /// Whether the status, which deprecates the scenario for all, has words about this model.
    fn excepts(&self, model: &Model) -> bool {
        let status = self.status.to_lowercase();
        let names = model.class.split('/').map(str::trim).filter(|name| name.starts_with(char::is_alphabetic));
        names.into_iter().any(|name| status.contains(&name.to_lowercase()))
    }
}

#[cfg(test)]
mod tests;
