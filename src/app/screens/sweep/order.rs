//! In which order the jobs of a lane stand.
//! Must not know: which jobs are shown.

use crate::core::sweep::MergedJob;
use crate::core::sweep::matrix::severity;
use std::cmp::Reverse;

/// How the jobs of each lane are sorted; equal ones stay as GitHub lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As GitHub lists them.
    #[default]
    Listed,
    /// What went wrong first, what is green last.
    Worst,
    /// The longest first; what has no length yet last.
    Longest,
    /// What ended or started last first.
    Newest,
}

impl Order {
    pub fn next(self) -> Order {
        match self {
            Order::Listed => Order::Worst,
            Order::Worst => Order::Longest,
            Order::Longest => Order::Newest,
            Order::Newest => Order::Listed,
        }
    }

    /// As it stands in the title; nothing of the usual one.
    pub fn title(self) -> Option<&'static str> {
        match self {
            Order::Listed => None,
            Order::Worst => Some("worst first"),
            Order::Longest => Some("longest first"),
            Order::Newest => Some("newest first"),
        }
    }

    /// Sorts indices into `jobs`.
    pub(super) fn sort(self, order: &mut [usize], jobs: &[MergedJob]) {
        let job = |at: usize| jobs.get(at).map(|merged| &merged.job);
        match self {
            Order::Listed => {}
            Order::Worst => order.sort_by_key(|&at| Reverse(jobs.get(at).map(|merged| severity(&merged.outcome)))),
            Order::Longest => {
                order.sort_by_key(|&at| Reverse(job(at).and_then(|job| Some(job.completed_at? - job.started_at?))))
            }
            Order::Newest => {
                order
                    .sort_by_key(|&at| Reverse(job(at).and_then(|job| job.completed_at.or(job.started_at).or(job.created_at))));
            }
        }
    }
}
