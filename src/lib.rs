//! countersign: a reviewer's workstation in the terminal. This page is the map.
//!
//! # Layers
//!
//! | layer | owns | never |
//! |---|---|---|
//! | [`core`] | facts, rules, texts: what is true of a pull request, and what a sign-off says | clock, files, network, terminal, panics on input |
//! | [`syntax`] | text → ranges with a role, by syntect | I/O |
//! | [`app`] | the state machine: `update(&mut Model, Msg) -> Vec<Effect>` | ratatui, HTTP, files |
//! | [`view`] | `&Model` → cells | clock, writing the model |
//! | [`report`] | the headless twin: the same facts as JSON and text | app, colours |
//! | [`github`] | the only place that knows octocrab, tower and HTTP | app, view, the environment |
//! | [`config`] | texts → settings, keys, themes, policy; every problem with file and line | reading files |
//! | [`runtime`] | tokio, crossterm, files, clock: performs effects | rules, formatting |
//!
//! A layer names only those above it in the table that its row in `tests/fast/walls.rs` allows; features make the
//! heavy ones optional, so that a forbidden import does not compile (`cargo check --no-default-features`, `view`, `github`).
//!
//! # Invariants
//!
//! 1. Every number, link and statement in the comment comes from an evidence record ([`core::evidence`]).
//! 2. A list carries its completeness ([`core::listing`]); a check over a partial list is never green.
//! 3. A write is a value, shown, confirmed and sent once ([`core::posting`], [`core::errand`]); an unclear outcome is resolved by looking.
//! 4. Drafts are files, written atomically ([`core::session`], `runtime::store`).
//! 5. Strangers' text passes one gate before the screen ([`core::text::gate`]) and another before Markdown
//!    ([`core::markdown::gate`]).
//! 6. Rules are data: `assets/policies/*.yaml`, read by [`core::policy`]; `src/` names no repository.
//! 7. What to read next is a pure function of what is known ([`core::plan`]); screen and headless commands share it.
//!
//! # Where does my change go?
//!
//! | change | place |
//! |---|---|
//! | a rule | `core/policy/<rule>.rs`; about scripts and recipes, `core/policy/launches/<rule>.rs` |
//! | a drafted paragraph | `core/checklist/detail/`; what becomes of an edited one, `core/checklist/details.rs` |
//! | how a changed template or an earlier sign-off is taken over | `core/checklist/{migrate,earlier}.rs` |
//! | a message to copy | `core/checklist/messages.rs` |
//! | what happens after a post | `core/follow.rs`; how often it is looked at, `app/update/answer.rs` |
//! | the filter language | `core/filter.rs` |
//! | steps back in a draft | `core/session/history.rs` |
//! | how a script or a recipe is read | `core/launch/` |
//! | the posted text | `core/checklist/` |
//! | what is read, and when | `core/plan/` |
//! | what the commits after the measured one change | `core/later.rs`; its sentences, `core/checklist/detail/validation.rs`, `core/policy/sweep.rs` |
//! | what follows from the facts (sweeps, scores, findings) | `core/conclusions.rs`; documents read once, `core/documents.rs` |
//! | which points change, and what covers each of them | `core/points/`; told headless, `report/points.rs` |
//! | what a job can be asked, laid out by, and why it failed | `core/sweep/asked.rs`, `cells.rs`, `causes.rs` |
//! | how often runs that are going are looked at | `core/sweep/pace.rs`; when and why not, `app/update/live.rs` |
//! | what of scripts and recipes differs from the base, and from siblings | `core/points/launches/`, `core/policy/launches/` |
//! | evidence pinned by hand, and what becomes of it | `core/pins.rs`; its paragraph, `core/checklist/detail/pins.rs`; the key, `app/update/pins.rs` |
//! | when artifacts and logs expire | `core/sweep/expiry.rs` |
//! | how scores are judged, grouped by arm, and set against earlier runs | `core/evals/` |
//! | how result rows are read, the curves they draw, and how two lists of them differ | `core/results/` |
//! | how results are exported | `report/results/`; their plot, `report/svg.rs` |
//! | what a description claims, and how it is weighed | `core/claims/`; against what, `core/claimed.rs` |
//! | when a comment may be posted | `core/checklist/blocks.rs`; how, `core/posting.rs` |
//! | what else may be written, and what it sets off | `core/errand/`; the requests, `github/calls/errand.rs` |
//! | which step tells how a job went | `core/steps.rs`; which lines of a log it wrote, `core/joblog/steps.rs` |
//! | how the log of a job is read, folded, searched, and what it failed of | `core/joblog/`; the file, `runtime/joblogs.rs` |
//! | a field of GitHub's | `github/wire/` |
//! | a body too large for memory | `github/drain.rs` |
//! | which answers are kept, and for how long they count | `github/layers/cache.rs`; where they lie, `runtime/cache_files.rs` |
//! | a key or a command | one row in `app/action.rs` |
//! | a line of the log | where it happens, by `tracing`'s macros (never in core, app or view); the file, `runtime/log.rs` |
//! | how it looks | `view/screens/<same name>` |
//! | a colour | `themes/` |
//! | a changed upstream rule or path | `assets/policies/` |
//!
//! # Glossary
//!
//! *Sweep*: the workflow runs that measure a pull request. *Lane*: the group of jobs before the slash of a job's name.
//! *Attempt*: one execution of a run; a job may appear in several. *Axes*: model, precision, runner, framework,
//! parallelism, … as read from a job's name or a result row. *Template*: the fenced checklist of the base repository.
//! *Sign-off*: the comment that fills it. *Evidence*: source, commit, time and digest of something that was read.

pub mod app;
#[cfg(feature = "shell")]
pub mod cli;
#[cfg(feature = "shell")]
pub mod config;
pub mod core;
pub mod error;
#[cfg(feature = "github")]
pub mod github;
pub mod report;
#[cfg(feature = "shell")]
pub mod runtime;
#[cfg(feature = "view")]
pub mod syntax;
#[cfg(feature = "view")]
pub mod view;
