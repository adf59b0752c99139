//! Command lines and what they mean.
//! Must not know: how a command is carried out.

use super::*;
use proptest::prelude::*;

fn launch(line: &str) -> Result<Launch, AppError> {
    parse_launch(std::iter::once("countersign").chain(line.split_whitespace()).map(OsString::from))
}

fn repo(text: &str) -> Option<RepoName> {
    Some(RepoName::parse(text).unwrap())
}

#[test]
fn pull_requests_and_runs_are_named_in_several_ways() {
    let pull = |number| Subject::Pull(PullNumber(number));
    let run = |id| Subject::Run(RunId(id));
    let table = [
        ("2550", pull(2550), None, GITHUB_API),
        ("#2550", pull(2550), None, GITHUB_API),
        ("o/r#7", pull(7), repo("o/r"), GITHUB_API),
        ("https://github.com/o/r/pull/7", pull(7), repo("o/r"), GITHUB_API),
        ("https://github.com/o/r/pull/7/files#diff-1", pull(7), repo("o/r"), GITHUB_API),
        ("https://github.com/o/r/pull/7?x=1", pull(7), repo("o/r"), GITHUB_API),
        ("http://WWW.GitHub.com/o/r/pull/7/", pull(7), repo("o/r"), GITHUB_API),
        ("https://ghe.example.org/o/r/pull/7", pull(7), repo("o/r"), "https://ghe.example.org/api/v3"),
        ("https://ghe.example.org:8443/o/r/pull/7", pull(7), repo("o/r"), "https://ghe.example.org:8443/api/v3"),
        ("run:31020193450", run(31_020_193_450), None, GITHUB_API),
        ("https://github.com/o/r/actions/runs/31/job/9", run(31), repo("o/r"), GITHUB_API),
        ("https://github.com/o/r/actions/runs/31/attempts/2", run(31), repo("o/r"), GITHUB_API),
    ];
    for (text, subject, repo, api) in table {
        let mut place = Place::default();
        assert_eq!(parse_subject(text, &mut place), Ok(subject), "{text}");
        assert_eq!((place.repo, place.api.address()), (repo, api), "{text}");
    }
    for bad in [
        "",
        "post 7 --as letter",
        "post 7 --as review --edit",
        "0",
        "-1",
        "x",
        "2550x",
        "１２",
        "99999999999999999999",
        "o/r",
        "o/r#",
        "o/r#x",
        "o/#1",
        "/r#1",
        "o/r/s#1",
        "run:",
        "run:x",
        "run:0",
        "ftp://github.com/o/r/pull/1",
        "https://",
        "https:///o/r/pull/1",
        "https://h/o/r",
        "https://h/o/r/pull/",
        "https://h/o/r/pulls/1",
        "https://h/o/../pull/1",
        "https://u@h/o/r/pull/1",
        "https://h:x/o/r/pull/1",
        "https://h/o/r/issues/1",
        "https://h/o/r/actions/runs/",
    ] {
        let error = parse_subject(bad, &mut Place::default()).unwrap_err();
        assert_eq!((error.kind, error.hints.len()), (ErrorKind::Usage, 1), "{bad}");
    }
}

#[test]
fn a_verdict_is_asked_of_a_pull_request_or_a_file() {
    let table = [
        ("verdict o/r#7", VerdictOf::Pull(PullNumber(7)), false),
        ("verdict 7 --json", VerdictOf::Pull(PullNumber(7)), true),
        ("verdict comment.txt", VerdictOf::File(PathBuf::from("comment.txt")), false),
        ("verdict ./2550", VerdictOf::File(PathBuf::from("./2550")), false),
    ];
    for (line, of, json) in table {
        assert_eq!(launch(line).unwrap().command, Command::Verdict { of, json }, "{line}");
    }
    for (line, word) in [("verdict run:31", "is a workflow run"), ("verdict https://h/o/r/pulls/1", "names no pull request")] {
        let error = launch(line).unwrap_err();
        assert!(error.kind == ErrorKind::Usage && error.message.contains(word), "{line}: {error}");
    }
}

#[test]
fn the_api_address_stands_before_or_after_the_subcommand() {
    let wanted = Api::Given("http://127.0.0.1:4020".into());
    for line in [
        "--api-url http://127.0.0.1:4020 jobs 7 --json",
        "jobs --api-url http://127.0.0.1:4020 7 --json",
        "jobs 7 --json --api-url http://127.0.0.1:4020/",
        "--api-url=http://127.0.0.1:4020 jobs 7 --json",
    ] {
        let launch = launch(line).unwrap();
        assert_eq!(launch.place.api, wanted, "{line}");
        assert_eq!(
            launch.command,
            Command::Jobs { of: Subject::Pull(PullNumber(7)), filter: Filter::default(), json: true },
            "{line}"
        );
    }
    let open = launch("7 --repo o/r --api-url http://[::1]:9/x").unwrap();
    assert_eq!(open.place, Place { api: Api::Given("http://[::1]:9/x".into()), repo: repo("o/r"), ..Place::default() });
    assert_eq!(open.command, Command::Open(PullNumber(7)));
    for line in ["--log debug demo", "demo --log=debug", "7 --repo o/r --log debug"] {
        assert_eq!(launch(line).unwrap().log, LogLevel::Debug, "{line}");
    }
    assert_eq!(open.log, LogLevel::Info);
    assert!(launch("--log loud demo").unwrap_err().message.contains("loud"));
    assert!(!open.offline);
    // The option outranks the host of the page.
    let both = launch("https://ghe/o/r/pull/7 --api-url https://proxy.example/api/v3").unwrap();
    assert_eq!(both.place.api.address(), "https://proxy.example/api/v3");
}

#[test]
fn a_recording_can_stand_for_the_network() {
    for line in ["jobs 7 --replay x", "--replay x jobs 7", "7 --replay x", "render 7 --replay=x", "evals run:9 --replay x"] {
        assert_eq!(launch(line).unwrap().place.replay, Some("x".into()), "{line}");
    }
}

#[test]
fn offline_goes_with_every_command_that_reads() {
    for line in ["7 --offline", "--offline 7", "jobs 7 --offline", "--offline render 7", "evals run:9 --offline"] {
        assert!(launch(line).unwrap().offline, "{line}");
    }
}

#[test]
fn subcommands_become_data() {
    let number = PullNumber(7);
    let table = [
        ("demo", Command::Demo),
        ("licenses", Command::Licenses),
        ("auth status --json", Command::AuthStatus { json: true }),
        ("doctor", Command::Doctor { number: None, json: false }),
        ("doctor o/r#7 --json", Command::Doctor { number: Some(number), json: true }),
        ("replay x.gz", Command::Replay("x.gz".into())),
        ("record o/r#7 x.gz", Command::Record { number, file: "x.gz".into(), force: false }),
        ("record 7 x --force", Command::Record { number, file: "x".into(), force: true }),
        ("cache", Command::Cache { clear: false }),
        ("cache --clear", Command::Cache { clear: true }),
        ("render 7", Command::Render { number, ticks: Ticks::Keys(vec![]), detail: None }),
        (
            "render o/r#7 --tick a,b --tick c --detail d.md",
            Command::Render {
                number,
                ticks: Ticks::Keys(vec!["a".into(), "b".into(), "c".into()]),
                detail: Some("d.md".into()),
            },
        ),
        ("render 7 --tick all", Command::Render { number, ticks: Ticks::All, detail: None }),
        ("post 7 --yes", Command::Post { number, order: Order { yes: true, ..Order::default() } }),
        ("post 7 --file x.md", Command::Post { number, order: Order { file: Some("x.md".into()), ..Order::default() } }),
        ("post 7 --as approve", Command::Post { number, order: Order { way: Some(Way::Approve), ..Order::default() } }),
        (
            "post 7 --edit --despite recipe,evals --despite sweep",
            Command::Post {
                number,
                order: Order { edit: true, despite: ["recipe", "evals", "sweep"].map(Key::from).to_vec(), ..Order::default() },
            },
        ),
        ("evals run:9", Command::Evals { of: Subject::Run(RunId(9)), json: false }),
        (
            "jobs https://github.com/o/r/actions/runs/9 --json",
            Command::Jobs { of: Subject::Run(RunId(9)), filter: Filter::default(), json: true },
        ),
    ];
    for (line, command) in table {
        assert_eq!(launch(line).unwrap().command, command, "{line}");
    }
    for bad in [
        "",
        "render",
        "render run:9",
        "post",
        "7 8",
        "demo 7",
        "frobnicate 7",
        "7 --api-url",
        "7 --repo x",
        "render 7 --tick all,a",
        "jobs",
        "--nope",
        "7 jobs 8",
        "replay",
        "record 7",
        "record run:9 x",
        "post 7 --yes --replay x",
        "record 7 x --replay y",
        "demo --replay x",
        "doctor 7 --replay x",
        "auth",
        "doctor run:9",
        "jobs 7 --replay x --api-url http://127.0.0.1:1",
        "post 7 --yes --offline",
    ] {
        let error = launch(bad).unwrap_err();
        assert_eq!(error.kind.exit_code(), 2, "{bad}");
        assert!(!error.message.is_empty() && !error.message.starts_with("error"), "{bad}: {}", error.message);
    }
    for shown in ["--help", "render --help", "--version"] {
        assert!(matches!(launch(shown).unwrap().command, Command::Show(text) if text.contains("countersign")), "{shown}");
    }
}

proptest! {
    #[test]
    fn no_argument_panics_and_what_is_read_is_a_name(text in "\\PC*") {
        let mut place = Place::default();
        if parse_subject(&text, &mut place).is_ok()
            && let Some(repo) = place.repo
        {
            prop_assert!(RepoName::parse(&repo.to_string()).is_some());
        }
    }
}

#[test]
fn a_job_is_named_by_its_number_or_its_page() {
    let table = [
        ("92263021571", None, GITHUB_API),
        ("https://github.com/o/r/actions/runs/31/job/9?pr=7#step:3:1", repo("o/r"), GITHUB_API),
        ("https://ghe.example.org/o/r/actions/runs/31/job/9", repo("o/r"), "https://ghe.example.org/api/v3"),
    ];
    for (text, repo, api) in table {
        let launch = launch(&format!("log {text} --errors")).unwrap();
        let Command::Log { job, errors: true, timestamps: false } = launch.command else { panic!("{:?}", launch.command) };
        assert!(matches!(job.0, 9 | 92_263_021_571), "{job}");
        assert_eq!((launch.place.repo, launch.place.api.address()), (repo, api), "{text}");
    }
    for bad in [
        "log",
        "log x",
        "log 0",
        "log https://github.com/o/r/pull/7",
        "log https://github.com/o/r/actions/runs/31",
        "log 7 --replay f",
    ] {
        assert_eq!(launch(bad).unwrap_err().kind, ErrorKind::Usage, "{bad}");
    }
    let typo = launch("log https://github.com/o/r/actions/runs/31/job/").unwrap_err();
    assert!(typo.message.contains("names no job"), "{}", typo.message);
}

#[test]
fn a_filter_is_read_as_the_screen_reads_it() {
    let jobs = |filter: &str| parse_launch(["countersign", "jobs", "7", "--filter", filter].map(OsString::from));
    let text = "-is:success lane:\"single-node 8k1k\"";
    let Command::Jobs { filter, .. } = jobs(text).unwrap().command else { panic!() };
    assert_eq!(filter, Filter::parse(text, sweep::GRAMMAR).unwrap());
    let error = jobs("is:red").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert!(error.message.starts_with("\"is:red\": after is: may stand success, failed"), "{}", error.message);
}
