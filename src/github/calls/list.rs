//! Reads a list page by page and says honestly whether it is whole.
//! Must not know: which list it is.

use super::{Client, Form, Got};
use crate::core::evidence::Source;
use crate::core::ids::Sha;
use crate::core::listing::Listing;
use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::{at_page, link, page_number};
use crate::github::layers::gate::WIDTH;
use crate::github::trouble::malformed;
use crate::github::wire::Row;
use futures::StreamExt;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};

/// Pages of one list that are read at most: 10,000 items.
const PAGES: u32 = 100;
/// Pages of one list asked for at once; the gate bounds all lists together.
const AHEAD: usize = WIDTH as usize;
/// Failing pages after which the rest is not asked for.
const FAILURES: usize = 2;

/// A list to read.
pub struct List {
    /// With its query, if it has one; `per_page` is added.
    pub address: String,
    /// The member that holds the rows, where they are in an envelope with a count.
    pub envelope: Option<&'static str>,
    /// How many GitHub lists at most, and of what.
    pub cap: Option<(usize, &'static str)>,
    pub commit: Option<Sha>,
}

/// One page, taken apart.
struct Page<T> {
    rows: Vec<T>,
    /// A row that could not be read.
    bad: Option<Trouble>,
    total: Option<usize>,
    next: Option<String>,
    last: Option<String>,
}

/// What has come of a list, and every doubt about it.
struct Gathering<T> {
    items: Vec<T>,
    seen: HashSet<String>,
    hash: Sha256,
    /// Of the oldest page.
    read_at: Time,
    total: Option<usize>,
    /// An item came twice: the list moved under us. Excused if the count says that all are there.
    moved: bool,
    /// The count fell: something may have slipped from a page that was to come to one that was read.
    shrank: bool,
    doubts: Vec<Trouble>,
}

impl Client {
    /// Reads the whole list. `on_page` gets what there is after each page but the last. Fails only if the first page
    /// does; a later failure makes the listing partial.
    pub(super) async fn list<W: Row>(
        &self,
        list: &List,
        on_page: &mut (dyn FnMut(Listing<W::Item>, Source) + Send),
    ) -> Result<(Listing<W::Item>, Source), Trouble> {
        let joint = if list.address.contains('?') { '&' } else { '?' };
        let first = self.get(&format!("{}{joint}per_page=100", list.address), Form::Json, 1).await?;
        let page = parse_page::<W>(&first, list.envelope)?;
        let mut all = Gathering {
            items: Vec::new(),
            seen: HashSet::new(),
            hash: Sha256::new(),
            read_at: first.read_at,
            total: None,
            moved: false,
            shrank: false,
            doubts: Vec::new(),
        };
        let mut next = page.next.clone();
        let pages = page.last.as_deref().and_then(page_number).filter(|last| *last >= 2);
        let mut reported = page.total;
        all.take::<W>(&first, page);

        if let (Some(last), Some(second)) = (pages, next.clone()) {
            let asked = last.min(PAGES);
            let fetch = |number: u32| {
                let address = at_page(&second, number);
                async move { (number, self.page::<W>(&address, list.envelope, 2).await) }
            };
            let mut pages = futures::stream::iter((2..=asked).map(fetch)).buffered(AHEAD);
            let mut failures = 0;
            next = None;
            tell(list, &all, reported, on_page);
            let mut told = all.items.len();
            while let Some((number, page)) = pages.next().await {
                match page {
                    Ok((got, page)) => {
                        if number == last {
                            next = page.next.clone();
                            // Of a list without a count the last page tells it.
                            reported = page.total.or(reported).or(Some((last as usize - 1) * 100 + page.rows.len()));
                        }
                        let grew = all.take::<W>(&got, page);
                        if !grew {
                            all.doubts.push(repeats(&got.address));
                            break;
                        }
                        // The whole list is told each time: telling every page of fifty would cost fifty lists.
                        if number < last && all.items.len() >= told + told / 4 {
                            told = all.items.len();
                            tell(list, &all, reported, on_page);
                        }
                    }
                    Err(trouble) => {
                        failures += 1;
                        let hopeless =
                            matches!(trouble.kind, TroubleKind::Limited | TroubleKind::Timeout | TroubleKind::Access);
                        all.doubts.push(trouble);
                        if hopeless || failures >= FAILURES {
                            break;
                        }
                    }
                }
            }
            if asked < last {
                all.doubts.push(too_long());
            }
        }

        // Without a known last page, and behind it if the list grew meanwhile: one page after the other.
        let mut level = 2;
        while let Some(address) = next.take().filter(|_| all.doubts.is_empty()) {
            if level > PAGES {
                all.doubts.push(too_long());
                break;
            }
            tell(list, &all, reported, on_page);
            match self.page::<W>(&address, list.envelope, level).await {
                Ok((got, page)) => {
                    next = page.next.clone();
                    reported = page.total.or(reported);
                    if !all.take::<W>(&got, page) {
                        all.doubts.push(repeats(&got.address));
                    }
                }
                Err(trouble) => all.doubts.push(trouble),
            }
            level += 1;
        }
        let source = all.source(list);
        Ok((all.judge(reported, list.cap), source))
    }

    async fn page<W: Row>(&self, address: &str, envelope: Option<&str>, level: u32) -> Result<(Got, Page<W::Item>), Trouble> {
        let got = self.get(address, Form::Json, level).await?;
        let page = parse_page::<W>(&got, envelope)?;
        Ok((got, page))
    }
}

fn tell<T: Clone>(list: &List, all: &Gathering<T>, of: Option<usize>, on_page: &mut (dyn FnMut(Listing<T>, Source) + Send)) {
    let why = Trouble::new(TroubleKind::Network, "more pages are on their way", "");
    on_page(Listing::partial(all.items.clone(), of, why), all.source(list));
}

impl<T> Gathering<T> {
    fn source(&self, list: &List) -> Source {
        let digest = format!("{:x}", self.hash.clone().finalize());
        Source { address: path(&list.address).to_owned(), commit: list.commit.clone(), read_at: self.read_at, digest }
    }

    /// Adds a page; false if it brought nothing new.
    fn take<W: Row<Item = T>>(&mut self, got: &Got, page: Page<T>) -> bool {
        self.hash.update(&got.body);
        self.read_at = self.read_at.min(got.read_at);
        if let (Some(before), Some(now)) = (self.total, page.total) {
            self.shrank |= now < before;
        }
        self.total = page.total.or(self.total);
        self.doubts.extend(page.bad);
        let before = self.items.len();
        for row in page.rows {
            if self.seen.insert(W::key(&row)) {
                self.items.push(row);
            } else {
                self.moved = true;
            }
        }
        self.items.len() > before
    }

    /// The listing, whole only if there is no doubt.
    fn judge(self, reported: Option<usize>, cap: Option<(usize, &'static str)>) -> Listing<T> {
        let got = self.items.len();
        let of = self.total.or(reported).filter(|of| *of > got);
        let counted = self.total == Some(got);
        let why = if let Some(why) = self.doubts.into_iter().next() {
            Some(why)
        } else if let Some((most, what)) = cap.filter(|(most, _)| got >= *most && !counted) {
            let headline = format!("GitHub lists at most {most} {what}.");
            Some(Trouble::new(TroubleKind::TooLarge, headline, "Read the rest in the browser or from a local clone."))
        } else if let Some(of) = of.filter(|_| self.total.is_some()) {
            let headline = format!("GitHub counts {of} and listed {got}.");
            Some(Trouble::new(TroubleKind::Malformed, headline, "Refresh to read the list again."))
        } else if self.shrank || self.total.is_some_and(|total| total < got) || (self.moved && !counted) {
            Some(Trouble::new(TroubleKind::Malformed, "The list changed while it was read.", "Refresh to read it again."))
        } else {
            None
        };
        match why {
            Some(why) => Listing::partial(self.items, of, why),
            None => Listing::complete(self.items),
        }
    }
}

/// Takes a page apart. Each row is decoded once, straight from the answer's text: five thousand jobs are twelve megabytes.
fn parse_page<W: Row>(got: &Got, envelope: Option<&str>) -> Result<Page<W::Item>, Trouble> {
    let (rows, total): (Vec<&RawValue>, _) = match envelope {
        None => (got.decode()?, None),
        Some(name) => {
            let members: HashMap<String, &RawValue> = got.decode()?;
            let member = |name: &str| members.get(name).ok_or_else(|| malformed(&got.address, format!("it has no {name}")));
            let rows = serde_json::from_str(member(name)?.get()).map_err(|error| malformed(&got.address, error))?;
            // Without GitHub's count nobody can say that the list is whole.
            let total = serde_json::from_str(member("total_count")?.get());
            (rows, Some(total.map_err(|_| malformed(&got.address, "its total_count is no count"))?))
        }
    };
    let mut page = Page { rows: Vec::with_capacity(rows.len()), bad: None, total, next: None, last: None };
    for (at, row) in rows.into_iter().enumerate() {
        let row = serde_json::from_str::<W>(row.get()).map_err(|error| error.to_string());
        match row.and_then(|row| row.read().map_err(|member| format!("it has no {member}"))) {
            Ok(row) => page.rows.push(row),
            Err(why) => page.bad = page.bad.or_else(|| Some(malformed(&got.address, format!("item {}: {why}", at + 1)))),
        }
    }
    if let Some(header) = got.headers.get("link").and_then(|value| value.to_str().ok()) {
        page.next = link(header, "next").map(str::to_owned);
        page.last = link(header, "last").map(str::to_owned);
    }
    Ok(page)
}

fn path(address: &str) -> &str {
    address.split('?').next().unwrap_or(address)
}

fn repeats(address: &str) -> Trouble {
    malformed(address, "the page brought nothing new")
}

fn too_long() -> Trouble {
    let headline = format!("The list has more than {PAGES} pages.");
    Trouble::new(TroubleKind::TooLarge, headline, "Read the rest in the browser.")
}
