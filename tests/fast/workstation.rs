//! The workstation in one process and without a terminal: a client, the application, and hands for its effects.
//! Must not know: which GitHub the client asks, or what is tested.

use countersign::app::effect::{Command, Request, Slot, Ticket};
use countersign::app::key::Key;
use countersign::app::keymap::Keymap;
use countersign::app::model::{Reach, Session};
use countersign::app::msg::Reply;
use countersign::app::{Effect, Model, Msg, painted, settle, start, update};
use countersign::config::{policy, theme};
use countersign::core::facts::Facts;
use countersign::core::ids::{PullNumber, RepoName};
use countersign::core::plan::{self, Read};
use countersign::core::session::Draft;
use countersign::core::trouble::{Trouble, TroubleKind};
use countersign::github::{Client, Clock, Freshness};
use countersign::runtime::event_loop::Incoming;
use countersign::runtime::highlight::Highlighting;
use countersign::view::draw;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

pub struct Workstation {
    pub model: Model,
    /// Every read so far, in the order of asking.
    pub asked: Vec<Read>,
    /// Those without an answer.
    pub failed: Vec<(Read, Trouble)>,
    client: Client,
    clock: Clock,
    highlighting: Highlighting,
    highlighted: Receiver<Incoming>,
}

impl Workstation {
    /// Opens a pull request as the program does and waits until everything is read and highlighted.
    pub async fn open(client: Client, repo: RepoName, number: PullNumber, clock: Clock) -> Workstation {
        Workstation::open_as(client, repo, number, clock, Reach::Live).await
    }

    /// [`Workstation::open`], beginning with what was kept, or with nothing else.
    pub async fn open_as(client: Client, repo: RepoName, number: PullNumber, clock: Clock, reach: Reach) -> Workstation {
        let host = client.base().authority().to_owned();
        let recording = client.is_replay().then(|| format!("a recording of {}", clock().format("%-d %B %Y")));
        let draft = Draft::new(&host, repo.clone(), number);
        let session = Session { host, recording, greeting: None, day: None, braille: true };
        let facts = Facts::new("https://github.com", repo, number);
        let mut model = Model::new(session, Arc::new(policy::built_in().unwrap()), facts, draft, Keymap::default());
        model.reach = reach;
        let effects = start(&mut model, clock());
        let (inbox, highlighted) = channel();
        let highlighting = Highlighting::new(inbox);
        let mut desk = Workstation { model, asked: Vec::new(), failed: Vec::new(), client, clock, highlighting, highlighted };
        desk.perform(effects).await;
        desk
    }

    /// Types keys, written as in the key file with spaces between them, and waits after each until all is quiet.
    pub async fn keys(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.take(Msg::Key(Key::parse(key).unwrap())).await;
        }
    }

    /// What the window shows at this size, in the theme that comes with the program.
    pub async fn screen(&mut self, columns: u16, rows: u16) -> Buffer {
        self.take(Msg::Resize(columns, rows)).await;
        let (theme, problems) = theme::load_theme("dark", &|_| None);
        assert_eq!(problems, []);
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| draw(frame, &self.model, &theme)).unwrap();
        terminal.backend().buffer().clone()
    }

    async fn take(&mut self, msg: Msg) {
        let effects = update(&mut self.model, (self.clock)(), msg);
        self.perform(effects).await;
    }

    /// Performs effects, and those that their answers lead to, until nothing is left to do.
    async fn perform(&mut self, effects: Vec<Effect>) {
        let mut waiting = VecDeque::from(effects);
        loop {
            while let Some(effect) = waiting.pop_front() {
                for msg in self.answers(effect).await {
                    waiting.extend(update(&mut self.model, (self.clock)(), msg));
                }
            }
            waiting.extend(settle(&mut self.model));
            waiting.extend(painted(&mut self.model));
            if waiting.is_empty() {
                return;
            }
        }
    }

    /// What comes of one effect. Nothing here keeps drafts: a disk that is always in order.
    async fn answers(&mut self, effect: Effect) -> Vec<Msg> {
        match effect {
            Effect::Ask(ticket, Request::Recall(read)) => {
                let client = self.client.with(Freshness::CacheOnly);
                let (repo, number) = (self.model.facts.repo.clone(), self.model.facts.number);
                let answer = client.read(&repo, number, read.clone(), &mut |_, _| {}).await;
                vec![Msg::Reply(ticket, Reply::Read(plan::Reply { read, answer, last: true }))]
            }
            Effect::Ask(ticket, Request::Read(read)) => {
                let replies = self.read(read).await;
                replies.into_iter().map(|reply| Msg::Reply(ticket.clone(), reply)).collect()
            }
            Effect::Ask(ticket, Request::Compare(comparison)) => {
                vec![Msg::Reply(ticket, Reply::Compared(Box::new(comparison.run())))]
            }
            Effect::Ask(ticket, Request::Draw(drawing)) => vec![Msg::Reply(ticket, Reply::Drawn(Box::new(drawing.run())))],
            Effect::Ask(ticket, Request::Highlight { path, patch }) => {
                self.highlighting.ask(ticket, path, patch);
                match self.highlighted.recv().unwrap() {
                    Incoming::Msg(msg) => vec![msg],
                    Incoming::Suspend => panic!("nobody suspends a test"),
                }
            }
            Effect::Do(ticket, Command::Save { .. }) => vec![Msg::Reply(ticket, Reply::Saved(Ok(())))],
            Effect::Do(ticket, Command::Post(letter)) => {
                vec![Msg::Reply(ticket, Reply::Sent(self.client.post(&letter).await))]
            }
            // Nobody answers a comment here.
            Effect::After(Ticket { slot: Slot::Answer, .. }, _) | Effect::Cancel(_) => Vec::new(),
            other => panic!("there are no hands for {other:?}"),
        }
    }

    async fn read(&mut self, read: Read) -> Vec<Reply> {
        self.asked.push(read.clone());
        let (repo, number) = (self.model.facts.repo.clone(), self.model.facts.number);
        let mut replies = Vec::new();
        let mut part = |answer, source| {
            replies.push(Reply::Read(plan::Reply { read: read.clone(), answer: Ok((answer, source)), last: false }));
        };
        let answer = self.client.read(&repo, number, read.clone(), &mut part).await;
        // That a file or folder is not there is an answer too.
        let may_be_absent = matches!(read, Read::SideFile { .. } | Read::Folder { .. });
        if let Err(trouble) = &answer
            && !(may_be_absent && trouble.kind == TroubleKind::NotFound)
        {
            self.failed.push((read.clone(), trouble.clone()));
        }
        replies.extend(self.client.budget().map(|left| Reply::Budget { remaining: left.remaining, limit: left.limit }));
        replies.push(Reply::Read(plan::Reply { read, answer, last: true }));
        replies
    }
}
